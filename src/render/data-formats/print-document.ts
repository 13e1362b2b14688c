/** The formats that print a whole document. */
export type DataFormat = 'json' | 'yaml';

/** True for a format that prints a whole document: its renderers differ from those of text. */
export const isDataFormat = (format: string | undefined): format is DataFormat =>
  format === 'json' || format === 'yaml';

/** Prints one document. The modules of the other format are not loaded, which keeps the start fast. */
export async function documentText(document: object, format: DataFormat): Promise<string> {
  if (format === 'json') return (await import('./json.ts')).renderJson(document);
  return (await import('./yaml.ts')).renderYaml(document);
}

/** Prints the documents of several clusters as one `List`, in pieces. */
export async function documentList(items: readonly object[], format: DataFormat): Promise<Iterable<string>> {
  if (format === 'json') return (await import('./json.ts')).listPieces(items);
  return [await documentText({ apiVersion: 'kubectl-webhook/v1', kind: 'List', items }, format)];
}
