import { adviceText } from '../../phrases/advice.ts';
import type { OutputFormat } from '../render-report.ts';
import type { Look } from '../text/look.ts';
import type { CheckDocument, CheckEntry, CheckList } from './check-document.ts';

const withAdviceText = <C extends CheckEntry>(check: C) => ({
  ...check,
  advice: adviceText(check.advice),
  messages: check.messages.map(({ advice, ...message }) =>
    advice === undefined ? message : { ...message, advice: adviceText(advice) },
  ),
});

const documentOf = (given: CheckList | CheckDocument) =>
  given.kind === 'Check' ? withAdviceText(given) : { ...given, checks: given.checks.map(withAdviceText) };

/** The list of checks, or one check, in one format. `name` prints ids, for `--check` and `--skip`. */
export async function renderChecks(
  document: CheckList | CheckDocument,
  format: OutputFormat | undefined,
  look: Look,
): Promise<string> {
  const { kind } = document;
  switch (format) {
    case 'json':
      return (await import('../data-formats/json.ts')).renderJson(documentOf(document));
    case 'yaml':
      return (await import('../data-formats/yaml.ts')).renderYaml(documentOf(document));
    case 'name':
      return (kind === 'Check' ? [document] : document.checks).map(({ id }) => `${id}\n`).join('');
    default: {
      const { renderCheckPage, renderCheckTable } = await import('./check-text.ts');
      return kind === 'Check'
        ? renderCheckPage(document, look)
        : renderCheckTable(document, { ...look, wide: format === 'wide' });
    }
  }
}
