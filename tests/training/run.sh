#!/bin/sh
# Tests tools/training where python3 can import torch; exits with 77, "skipped", where it cannot.
here=$(cd "$(dirname "$0")" && pwd)
# torch asks for large blocks and gives them back all the time; to keep them halves the time on a CPU.
export MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=100000000000 MALLOC_TOP_PAD_=67108864
for python in /usr/bin/python3 python3; do
  if "$python" -c 'import torch, numpy, PIL' 2>/dev/null; then
    cd "$here" && PYTHONDONTWRITEBYTECODE=1 exec "$python" -m unittest ${1:-model_test data_test lessons_test posterior_test measuring_test training_test}
  fi
done
echo "skipped: no python3 here can import torch, numpy and PIL (Debian: python3-torch, python3-pil)"
exit 77
