import type { CheckDocument, CheckList } from '../render/checks/check-document.ts';
import { renderChecks } from '../render/checks/render-checks.ts';
import type { OutputFormat } from '../render/render-report.ts';
import { terminalLook } from './terminal.ts';

/** Writes the catalogue, or one check of it, to stdout. */
export async function printChecks(
  document: CheckList | CheckDocument,
  format: OutputFormat | undefined,
): Promise<void> {
  process.stdout.write(await renderChecks(document, format, terminalLook(process.stdout)));
}
