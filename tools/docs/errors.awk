# The lines of an output that speak of an error which its page does not announce; exit code 1 if there is one.
#
#     awk -f tools/docs/errors.awk docs/quickstart.md OUTPUT
#
# Announced is a line that the page prints itself, whatever its numbers are. "0 errors", "errors 0" and an `error` of
# null are none; a heading is none (ERRORS); a path is none (sim/errors.cc).
function plain(text) {
  text = tolower(text)
  gsub(/[0-9]+(\.[0-9]+)?/, "#", text)
  gsub(/[^a-z#]+/, " ", text)
  gsub(/^ | $/, "", text)
  return text
}
NR == FNR {
  announced = announced " " plain($0)
  next
}
FNR == 1 { announced = announced " " }
{
  line = $0
  gsub(/\033\[[0-9;]*m/, "", line)
  rest = line
  gsub(/ERRORS?/, "", rest)
  rest = tolower(rest)
  gsub(/[a-z0-9_.-]*\/[a-z0-9_.\/-]*/, "", rest)
  gsub(/(^|[^0-9.])(no|0) errors?/, "", rest)
  gsub(/errors?"?[ :=]*(0([^0-9.]|$)|null|none)/, "", rest)
  if (rest !~ /error/) next
  if (index(announced, " " plain(line) " ")) next
  print line
  found = 1
}
END { exit found }
