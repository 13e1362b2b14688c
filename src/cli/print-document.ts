import type { Look } from '../render/look.ts';
import { terminalLook } from './terminal.ts';

/** Writes a document to stdout as JSON or YAML, or what `forPeople` makes of it. */
export async function printDocument(
  document: object,
  format: 'json' | 'yaml' | undefined,
  forPeople: (look: Look) => string | Promise<string>,
): Promise<void> {
  if (format === 'json') {
    const { renderJson } = await import('../render/json.ts');
    process.stdout.write(renderJson(document));
  } else if (format === 'yaml') {
    const { renderYaml } = await import('../render/yaml.ts');
    process.stdout.write(renderYaml(document));
  } else process.stdout.write(await forPeople(terminalLook(process.stdout)));
}
