/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/parts.h"

#define NS 1e-9

/* ---- sites ---- */

/* Sites are numbered as they come. */
struct sites {
    const struct profile *profile;
    const struct sums *sums;
    struct map file_ids; /* path -> number of the result's file */
    struct map ids;
    vec_of(struct profile_site) all;
};

static void number_files(struct sites *sites, const struct profile_result *result)
{
    for (size_t i = 0; i < result->n_files; i++)
        *map_at(&sites->file_ids, &result->files[i].path, sizeof(char *), NULL) = i;
}

static uint32_t site_of(struct sites *sites, uint32_t frame_id, uint32_t stack)
{
    const struct places *places = &sites->profile->places;
    const uint32_t key[] = {frame_id, stack};
    bool is_new;
    size_t *id = map_at(&sites->ids, key, sizeof key, &is_new);
    if (is_new) {
        const struct frame *frame = &places->frames.items[frame_id];
        const struct line *line = &places->lines.items[frame->line];
        const size_t *file = map_find(&sites->file_ids, &line->path, sizeof(char *));
        *id = sites->all.n;
        *vec_push(&sites->all) =
            (struct profile_site){file ? (uint32_t)*file : PROFILE_NONE, line->lineno,
                                  places->functions.items[frame->function].first_line, stack};
    }
    return (uint32_t)*id;
}

/* ---- accounts to cells ---- */

static uint32_t pooled(const struct parts *parts, uint32_t part)
{
    return part < parts->n_owners ? parts->into[part] : 0;
}

/* CPU time of a pool that is divided is its threads' by what their clocks say; what was seen is the
 * last one's but for whole parts of it. */
static void add_divided(struct parts *parts, struct account account, const struct entry *entry)
{
    double all_s = 0, left_s;
    uint64_t n_left = entry->n_seen;
    for (uint32_t part = account.part; part; part = parts->next[part])
        all_s += parts->owners[part].cpu_s;
    left_s = all_s;
    for (; account.part; account.part = parts->next[account.part]) {
        double own_s = parts->owners[account.part].cpu_s;
        bool is_last = parts->next[account.part] == 0;
        double share = all_s > 0 ? own_s / all_s : is_last;
        uint64_t n = is_last || left_s <= 0 ? n_left : (uint64_t)((double)n_left * own_s / left_s);
        ledger_add(&parts->cells, &account, entry->time_ns * share, n);
        n_left -= n;
        left_s -= own_s;
    }
}

static void add_cells(struct parts *parts, struct sites *sites, const struct ledger *from,
                      bool is_idle)
{
    for (size_t i = 0; i < from->n; i++) {
        const struct entry *entry = &from->items[i];
        enum profile_kind kind = is_idle ? KIND_IDLE : sums_kind(sites->profile, &entry->account);
        uint32_t stack = sites->sums->stack_ids[entry->account.stack];
        struct account account = {.frame = site_of(sites, entry->account.frame, stack),
                                  .verdict = (uint16_t)kind,
                                  .part = pooled(parts, entry->account.part),
                                  .slice = entry->account.slice};
        if (!is_idle && parts->next[account.part])
            add_divided(parts, account, entry);
        else
            ledger_add(&parts->cells, &account, entry->time_ns, entry->n_seen);
    }
}

static void add_waits(struct parts *parts, struct sites *sites)
{
    const struct ledger *from = &sites->profile->waits;
    for (size_t i = 0; i < from->n; i++) {
        const struct entry *entry = &from->items[i];
        struct account account = {.frame = site_of(sites, entry->account.frame, PROFILE_NONE),
                                  .verdict = entry->account.verdict,
                                  .part = pooled(parts, entry->account.part)};
        ledger_add(&parts->waits, &account, entry->time_ns, entry->n_seen);
    }
}

/* ---- the result ---- */

static void name_parts(const struct parts *parts, struct profile_timeline *timeline)
{
    vec_of(size_t) owners = {0}; /* how many are in each part */
    for (size_t i = 0; i < timeline->n_parts; i++)
        *vec_push(&owners) = 0;
    for (size_t i = 1; i < parts->n_owners; i++) {
        const struct owner *owner = &parts->owners[i];
        if (owner->into == PROFILE_NONE)
            continue;
        struct profile_part *part = &timeline->parts[owner->into];
        bool is_first = owners.items[owner->into]++ == 0;
        if (is_first)
            part->process = owner->process;
        else if (part->process != owner->process)
            part->process = PROFILE_NONE;
        part->name = is_first ? owner->name : "other threads";
        part->n_threads += owner->n_threads;
        part->cpu_s += owner->cpu_s;
    }
    vec_fini(&owners);
}

static int by_part(const void *left, const void *right)
{
    const struct account *a = &((const struct entry *)left)->account;
    const struct account *b = &((const struct entry *)right)->account;
    if (a->part != b->part)
        return a->part < b->part ? -1 : 1;
    if (a->slice != b->slice)
        return a->slice < b->slice ? -1 : 1;
    if (a->frame != b->frame)
        return a->frame < b->frame ? -1 : 1;
    return a->verdict < b->verdict ? -1 : a->verdict > b->verdict;
}

/* The entries of a ledger in the order of the result, with the parts of the result. */
static struct ledger settle(const struct parts *parts, const struct ledger *from)
{
    struct ledger settled = {0};
    for (size_t i = 0; i < from->n; i++) {
        struct entry entry = from->items[i];
        entry.account.part = parts->owners[entry.account.part].into;
        if (entry.account.part != PROFILE_NONE)
            ledger_add(&settled, &entry.account, entry.time_ns, entry.n_seen);
    }
    return settled;
}

static void put_in_order(struct ledger *ledger)
{
    if (ledger->n > 1) /* nobody looks anything up in it from now on */
        qsort(ledger->items, ledger->n, sizeof *ledger->items, by_part);
}

static struct profile_cell cell_of(const struct entry *entry)
{
    return (struct profile_cell){.slice = entry->account.slice,
                                 .site = entry->account.frame,
                                 .kind = (enum profile_kind)entry->account.verdict,
                                 .seconds = entry->time_ns * NS,
                                 .n_seen = entry->n_seen};
}

/* Where the entries of a part end that begin at `i`. */
static size_t end_of_part(const struct ledger *ledger, size_t i)
{
    size_t end = i;
    while (end < ledger->n && ledger->items[end].account.part == ledger->items[i].account.part)
        end++;
    return end;
}

static void fill_cells(struct profile_timeline *timeline, struct arena *arena,
                       const struct ledger *ledger, bool is_rest)
{
    struct profile_cell *cells = arena_alloc(arena, ledger->n * sizeof *cells);
    for (size_t i = 0, end; i < ledger->n; i = end) {
        struct profile_part *part = &timeline->parts[ledger->items[i].account.part];
        end = end_of_part(ledger, i);
        for (size_t k = i; k < end; k++) {
            cells[k] = cell_of(&ledger->items[k]);
            if (cells[k].slice != PROFILE_NONE && cells[k].slice >= timeline->n_slices)
                timeline->n_slices = cells[k].slice + 1;
            if (!is_rest && cells[k].kind != KIND_IDLE)
                part->outside_s -= cells[k].seconds;
        }
        *(is_rest ? &part->rest : &part->cells) = cells + i;
        *(is_rest ? &part->n_rest : &part->n_cells) = end - i;
    }
}

static void fill_waits(struct profile_timeline *timeline, struct arena *arena,
                       const struct ledger *ledger)
{
    struct profile_wait *waits = arena_alloc(arena, ledger->n * sizeof *waits);
    for (size_t i = 0, end; i < ledger->n; i = end) {
        struct profile_part *part = &timeline->parts[ledger->items[i].account.part];
        end = end_of_part(ledger, i);
        for (size_t k = i; k < end; k++)
            waits[k] = (struct profile_wait){ledger->items[k].account.frame,
                                             (enum wait_kind)ledger->items[k].account.verdict,
                                             ledger->items[k].time_ns * NS};
        part->waits = waits + i;
        part->n_waits = end - i;
    }
}

static void fill_parts(const struct parts *parts, struct profile_timeline *timeline,
                       struct arena *arena)
{
    struct ledger cells = settle(parts, &parts->cells), rest = {0};
    struct ledger waits = settle(parts, &parts->waits);
    parts_limit_cells(&cells, &rest);
    put_in_order(&cells);
    put_in_order(&rest);
    put_in_order(&waits);
    timeline->parts = arena_alloc(arena, timeline->n_parts * sizeof *timeline->parts);
    name_parts(parts, timeline);
    for (size_t i = 0; i < timeline->n_parts; i++)
        timeline->parts[i].outside_s = timeline->parts[i].cpu_s;
    fill_cells(timeline, arena, &cells, false);
    fill_cells(timeline, arena, &rest, true);
    fill_waits(timeline, arena, &waits);
    for (size_t i = 0; i < timeline->n_parts; i++)
        if (timeline->parts[i].outside_s < 1e-9) /* only rounding is left */
            timeline->parts[i].outside_s = 0;
    ledger_fini(&cells);
    ledger_fini(&rest);
    ledger_fini(&waits);
}

static void set_thread_parts(const struct parts *parts, const struct profile *profile,
                             struct profile_result *result)
{
    for (size_t p = 0; p < profile->processes.n; p++)
        for (size_t t = 0; t < profile->processes.items[p]->threads.n; t++) {
            const struct thread *thread = &profile->processes.items[p]->threads.items[t];
            result->processes[p].threads[t].part = parts->owners[parts->into[thread->part]].into;
        }
}

static double length_s(const struct profile *profile)
{
    uint64_t end_ns = profile->history.origin_ns;
    for (size_t p = 0; p < profile->processes.n; p++)
        if (profile->processes.items[p]->last_time_ns > end_ns)
            end_ns = profile->processes.items[p]->last_time_ns;
    return (double)(end_ns - profile->history.origin_ns) * NS;
}

void parts_result(const struct profile *profile, struct sums *sums, struct profile_result *result)
{
    struct profile_timeline *timeline = &result->timeline;
    struct parts parts = {.n_owners = profile->history.n_parts + 1};
    struct sites sites = {.profile = profile, .sums = sums};
    parts.owners = arena_alloc(sums->arena, parts.n_owners * sizeof *parts.owners);
    parts.into = arena_alloc(sums->arena, parts.n_owners * sizeof *parts.into);
    parts.next = arena_alloc(sums->arena, parts.n_owners * sizeof *parts.next);
    timeline->slice_s = (double)profile->history.slice_ns * NS;
    timeline->length_s = profile->history.slice_ns ? length_s(profile) : 0;
    number_files(&sites, result);
    parts_own(&parts, profile, result);
    add_cells(&parts, &sites, &profile->ledger, false);
    add_cells(&parts, &sites, &sums->ledger, false);
    add_cells(&parts, &sites, &profile->idle, true);
    add_waits(&parts, &sites);
    timeline->n_parts = parts_limit(&parts, profile->processes.n);
    fill_parts(&parts, timeline, sums->arena);
    timeline->n_sites = sites.all.n;
    timeline->sites = arena_alloc(sums->arena, sites.all.n * sizeof *timeline->sites);
    if (sites.all.n)
        memcpy(timeline->sites, sites.all.items, sites.all.n * sizeof *timeline->sites);
    set_thread_parts(&parts, profile, result);
    vec_fini(&sites.all);
    map_fini(&sites.ids);
    map_fini(&sites.file_ids);
    ledger_fini(&parts.cells);
    ledger_fini(&parts.waits);
}
