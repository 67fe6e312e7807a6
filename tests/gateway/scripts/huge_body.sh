# 1 GB is refused by what its head says, or as soon as too much of it has come.
truncate -s 1G huge
post() { curl -sS -o body -w '%{http_code} %{size_upload}\n' -X POST -T "$1" -H 'Content-Type: application/json' "http://$V/v1/videos" 2>/dev/null || true; }
read -r code sent < <(post huge)
want 'by its length' "$code" 413
want code "$(field code < body)" body_too_large
echo "refused by its length after $sent bytes"
((sent < 16 << 20))
# A machine that is too busy for so many bytes within the two seconds that a body may take gets 408: once more then.
for _ in $(seq 8); do
  read -r code sent < <(post - < huge)
  [[ $code != 408 ]] && break
done
want 'while it comes' "$code" 413
echo "refused while it comes after $sent bytes"
((sent < 256 << 20))
