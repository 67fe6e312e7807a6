# 1 GB is refused by what its head says, or as soon as too much of it has come.
truncate -s 1G huge
post() { curl -sS -o body -w '%{http_code} %{size_upload}\n' -X POST -T "$1" -H 'Content-Type: application/json' "http://$V/v1/videos" 2>/dev/null || true; }
read -r code sent < <(post huge)
want 'by its length' "$code" 413
want code "$(field code < body)" body_too_large
echo "refused by its length after $sent bytes"
((sent < 16 << 20))
read -r code sent < <(post - < huge)
want 'while it comes' "$code" 413
echo "refused while it comes after $sent bytes"
((sent < 256 << 20))
