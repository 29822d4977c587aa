//go:build pyext

/* native_arrow_names.c: the names of Arrow's types, which the C data interface writes as
 * format strings (arrow.apache.org, "The Arrow C data interface"). */
#include "native_arrow.h"

typedef struct {
  const char *format, *name;
} Named;

static const Named whole[] = {
    {"n", "null"}, {"b", "bool"}, {"c", "int8"}, {"C", "uint8"}, {"s", "int16"}, {"S", "uint16"}, {"i", "int32"}, {"I", "uint32"}, {"l", "int64"},
    {"L", "uint64"}, {"e", "halffloat"}, {"f", "float"}, {"g", "double"}, {"z", "binary"}, {"Z", "large_binary"}, {"vz", "binary_view"}, {"u", "string"},
    {"U", "large_string"}, {"vu", "string_view"}, {"tdD", "date32[day]"}, {"tdm", "date64[ms]"}, {"tts", "time32[s]"}, {"ttm", "time32[ms]"},
    {"ttu", "time64[us]"}, {"ttn", "time64[ns]"}, {"tDs", "duration[s]"}, {"tDm", "duration[ms]"}, {"tDu", "duration[us]"}, {"tDn", "duration[ns]"},
    {"tiM", "month_interval"}, {"tiD", "day_time_interval"}, {"tin", "month_day_nano_interval"}, {"+l", "list"}, {"+L", "large_list"},
    {"+vl", "list_view"}, {"+vL", "large_list_view"}, {"+s", "struct"}, {"+m", "map"}, {"+r", "run_end_encoded"},
};

/* Types whose formats end with what they are made of. */
static const Named begun[] = {
    {"d:", "decimal"}, {"w:", "fixed_size_binary"}, {"tss:", "timestamp[s]"}, {"tsm:", "timestamp[ms]"}, {"tsu:", "timestamp[us]"}, {"tsn:", "timestamp[ns]"},
    {"+w:", "fixed_size_list"}, {"+ud:", "dense_union"}, {"+us:", "sparse_union"},
};

/* named returns the name of a format, and what follows the name in it. */
static const char *named(const char *format, const char **rest) {
  *rest = "";
  for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
    if (strcmp(format, whole[i].format) == 0) return whole[i].name;
  for (size_t i = 0; i < sizeof begun / sizeof *begun; i++) {
    size_t n = strlen(begun[i].format);
    if (strncmp(format, begun[i].format, n) != 0) continue;
    *rest = format + n;
    return begun[i].name;
  }
  return format;
}

const char *gr_type_text(const struct ArrowSchema *schema, char text[GR_TYPE_TEXT]) {
  const char *rest, *name = named(schema->format, &rest);
  char inner[GR_TYPE_TEXT];
  if (schema->dictionary != NULL) snprintf(text, GR_TYPE_TEXT, "dictionary<%.50s, %.50s>", name, gr_type_text(schema->dictionary, inner));
  else if (schema->format[0] == '+' && schema->n_children == 1) snprintf(text, GR_TYPE_TEXT, "%s<%.100s>%.12s", name, gr_type_text(schema->children[0], inner), rest);
  else if (rest[0] != 0) snprintf(text, GR_TYPE_TEXT, "%s(%.60s)", name, rest);
  else snprintf(text, GR_TYPE_TEXT, "%.60s", name);
  return text;
}
