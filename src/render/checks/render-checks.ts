import { adviceText } from '../../phrases/advice.ts';
import { documentText } from '../data-formats/print-document.ts';
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

/** The documentation of checks with each advice as one text. */
export const checksDocument = (given: CheckList | CheckDocument) =>
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
    case 'yaml':
      return documentText(checksDocument(document), format);
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
