/**
 * Maximum characters of all warnings of one request together, and of each one if they exceed it
 * (endpoints/filters/warning.go).
 */
const limits = { all: 4096, each: 256 } as const;

/** A warning with a control character cannot be a header (apimachinery/pkg/util/net NewWarningHeader). */
const control = /\p{Cc}/u;

/**
 * The `Warning` headers of a request from the warnings of its webhooks, in their order: without duplicates
 * and without texts that contain a control character (such as a line feed), and all truncated if they exceed
 * 4096 characters.
 */
export function warningHeaders(warnings: readonly string[]): readonly string[] {
  const texts = new Set<string>();
  let headers: string[] = [];
  let written = 0;
  let cutting = false;
  const write = (text: string) => {
    if (control.test(text)) return;
    headers.push(text);
    written += [...text].length;
  };
  const cut = (text: string) => [...text].slice(0, limits.each).join('');
  for (const text of warnings) {
    if (text === '' || texts.has(text)) continue;
    if (cutting && written >= limits.all) break;
    texts.add(text);
    if (cutting) {
      write(cut(text));
      continue;
    }
    if (control.test(text)) continue;
    if (written + [...text].length <= limits.all) {
      write(text);
      continue;
    }
    cutting = true;
    headers = [];
    written = 0;
    for (const one of texts) write(cut(one));
  }
  return headers;
}
