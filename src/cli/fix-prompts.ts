import type { FindingReport } from '../diagnose/report.ts';
import { refText } from '../facts/object-ref.ts';
import { type Unread, unreadText } from '../facts/unread.ts';
import { type RemedySummary, renderRemedySummary } from '../render/change/remedy-summary.ts';
import { harmless } from '../render/text/harmless.ts';
import { canPrompt, openPrompts, withPrompt, wrapForPrompt } from './prompts.ts';
import { terminalLook } from './terminal.ts';

/** A remedy to choose: its summary, or the reason that it cannot be applied. */
interface Choosable {
  readonly meta: RemedySummary & { readonly id: string; readonly risk: string };
  readonly refused?: string;
  readonly unread?: Unread;
}

const whyNot = ({ refused, unread }: Choosable): string | undefined =>
  refused ?? (unread && `unknown: cannot read ${unreadText(unread)}`);

/** The object of a finding: `policy.example.com`, `apiservice/NAME`, `Service shop/policy`. */
function shortName({ callout, subject }: FindingReport): string {
  if (callout === undefined) return refText(subject);
  const parts = callout.split('/');
  return parts.length > 2 ? (parts.at(-1) ?? '') : callout;
}

function findingLines(findings: readonly FindingReport[]): readonly string[] {
  const { width, unicode } = terminalLook(process.stderr);
  const [room, cut] = [width - 3, unicode ? '…' : '~'];
  const column = Math.max(...findings.map((finding) => shortName(finding).length));
  return findings.map((finding) => {
    const line = harmless(
      `${finding.severity.padEnd(7)}  ${shortName(finding).padEnd(column)}  ${finding.title}`,
    );
    return line.length > room ? `${line.slice(0, room - 1)}${cut}` : line;
  });
}

/** The interaction of `fix` on this terminal: that of every change, and the choice of a finding and a remedy. */
export function openFixPrompts(document: boolean) {
  const prompts = openPrompts(document);
  const out = document ? process.stderr : process.stdout;
  const paused = async <T>(ask: () => Promise<T>): Promise<T> => {
    prompts.close();
    const answer = await ask();
    prompts.resume();
    return answer;
  };
  const choices = {
    chooseFinding: (findings: readonly FindingReport[]) => paused(() => promptForFinding(findings)),
    chooseRemedy: <T extends Choosable>(finding: FindingReport, offers: readonly T[]): Promise<T> => {
      const [first] = offers;
      // If no remedy can be applied there is no choice: the caller reports the reason of the first.
      return first !== undefined && offers.every((offer) => whyNot(offer) !== undefined)
        ? Promise.resolve(first)
        : paused(() => promptForRemedy(finding, offers));
    },
  };
  return {
    ...prompts,
    ...(canPrompt() ? choices : {}),
    explain(finding: FindingReport, { meta }: { readonly meta: RemedySummary }): void {
      prompts.close();
      if (!document || process.stderr.isTTY) out.write(renderRemedySummary(finding, meta, terminalLook(out)));
      prompts.resume();
    },
  };
}

function promptForFinding(findings: readonly FindingReport[]): Promise<FindingReport> {
  let filter = '';
  const lines = findingLines(findings);
  const choices = findings.map((finding, at) => ({
    name: lines[at] ?? '',
    short: harmless(finding.check),
    value: finding,
    description: wrapForPrompt(`${finding.callout ?? finding.check}: ${finding.message}`),
  }));
  const matching = (typed: string) => {
    filter = typed.toLowerCase();
    const words = filter.split(' ');
    return choices.filter(({ value: { severity, check, callout, title, message } }) =>
      words.every((word) =>
        `${severity} ${check} ${callout} ${title} ${message}`.toLowerCase().includes(word),
      ),
    );
  };
  return withPrompt(
    async (context) =>
      (await import('@inquirer/search')).default(
        {
          message: 'Which problem do you want to fix?',
          pageSize: 12,
          theme: { style: { keysHelpTip: () => 'type to filter • ↑↓ choose • ⏎ select • q, Esc leave' } },
          source: (typed = '') => matching(typed),
        },
        context,
      ),
    () => filter !== '',
  );
}

/** A list of remedies; those that are refused show the reason and cannot be chosen. */
function promptForRemedy<T extends Choosable>(finding: FindingReport, offers: readonly T[]): Promise<T> {
  const choices = offers.map((offer) => {
    const why = whyNot(offer);
    return {
      name: `${offer.meta.title} (${offer.meta.risk})`,
      value: offer,
      description: wrapForPrompt(offer.meta.does),
      disabled: why === undefined ? false : `\n  ${wrapForPrompt(`refused: ${why}`)}`,
    };
  });
  return withPrompt(
    async (context) =>
      (await import('@inquirer/select')).default(
        {
          message: `${wrapForPrompt(`${finding.message}.`)}\n  Which remedy do you want to apply?`,
          pageSize: 12,
          theme: { style: { keysHelpTip: () => '↑↓ choose • ⏎ select • q, Esc leave' } },
          choices,
        },
        context,
      ),
    () => false,
  );
}
