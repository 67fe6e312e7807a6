# Run as a script: writes OUT, a C++ source that defines FUNCTION (in NAMESPACE, declared by HEADER) to return the bytes
# of FILE as a std::string_view. As numbers, because a string literal may not be longer than 64 KiB everywhere.
file(READ ${FILE} hex HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(...............................................................................)," "\\1,\n" bytes "${bytes}")
file(WRITE ${OUT} "#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\nnamespace {\n\nconst unsigned char kText[] = {${bytes}};\n\n\
}  // namespace\n\nstd::string_view ${FUNCTION}() { return {reinterpret_cast<const char*>(kText), sizeof(kText)}; }\n\n\
}  // namespace ${NAMESPACE}\n")
