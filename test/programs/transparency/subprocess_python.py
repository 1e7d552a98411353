# SPDX-License-Identifier: Apache-2.0
"""Shows a Python started by a Python."""
import subprocess
import sys

code = "import os, sys; print(sys.argv, sys.path, sorted(os.environ.items()), sys.flags); sys.exit(9)"
for arguments in (["-c", code, "a"], ["-O", "-c", code], ["-I", "-S", "-c", code]):
    done = subprocess.run([sys.executable, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(done.returncode, done.stdout.decode())
done = subprocess.run([sys.executable, "-c", "import os; os.abort()"])
print(done.returncode)
