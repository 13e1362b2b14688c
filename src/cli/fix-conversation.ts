import type { FindingReport } from '../diagnose/report.ts';
import { refText } from '../facts/object-ref.ts';
import { type Unread, unreadText } from '../facts/unread.ts';
import { type RemedySummary, renderRemedySummary } from '../render/change/remedy-summary.ts';
import { harmless } from '../render/harmless.ts';
import { canAsk, legible, openConversation, withPrompt } from './conversation.ts';
import { terminalLook } from './terminal.ts';

/** A remedy to choose: what it is, or why it cannot be had. */
interface Choosable {
  readonly meta: RemedySummary & { readonly id: string; readonly risk: string };
  readonly refused?: string;
  readonly unread?: Unread;
}

const whyNot = ({ refused, unread }: Choosable): string | undefined =>
  refused ?? (unread && `unknown: cannot read ${unreadText(unread)}`);

/** Whom a finding is about: `policy.example.com`, `apiservice/NAME`, `Service shop/policy`; the line below has all of it. */
function shortName({ callout, subject }: FindingReport): string {
  if (callout === undefined) return refText(subject);
  const parts = callout.split('/');
  return parts.length > 2 ? (parts.at(-1) ?? '') : callout;
}

/** The lines of the findings: how bad, whom, and what; what is cut where the terminal ends. */
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

/** What `fix` says and asks on this terminal: as every change does, and first which finding and which remedy. */
export function openFixConversation(document: boolean) {
  const conversation = openConversation(document);
  const out = document ? process.stderr : process.stdout;
  const asking = async <T>(ask: () => Promise<T>): Promise<T> => {
    conversation.close();
    const answer = await ask();
    conversation.resume();
    return answer;
  };
  const chooseFinding = (findings: readonly FindingReport[]): Promise<FindingReport> => {
    let filter = '';
    const lines = findingLines(findings);
    const choices = findings.map((finding, at) => ({
      name: lines[at] ?? '',
      short: harmless(finding.check),
      value: finding,
      description: legible(`${finding.callout ?? finding.check}: ${finding.message}`),
    }));
    return asking(() =>
      withPrompt(
        async (context) =>
          (await import('@inquirer/search')).default(
            {
              message: 'Which problem do you want to fix?',
              pageSize: 12,
              theme: { style: { keysHelpTip: () => 'type to filter • ↑↓ choose • ⏎ select • q, Esc leave' } },
              source: (typed = '') => {
                filter = typed.toLowerCase();
                const words = filter.split(' ');
                return choices.filter(({ value: { severity, check, callout, title, message } }) =>
                  words.every((word) =>
                    `${severity} ${check} ${callout} ${title} ${message}`.toLowerCase().includes(word),
                  ),
                );
              },
            },
            context,
          ),
        () => filter !== '',
      ),
    );
  };
  const chooseRemedy = <T extends Choosable>(finding: FindingReport, offers: readonly T[]): Promise<T> =>
    asking(() =>
      withPrompt(
        async (context) =>
          (await import('@inquirer/select')).default(
            {
              message: `${legible(`${finding.message}.`)}\n  Which remedy do you want to apply?`,
              pageSize: 12,
              theme: { style: { keysHelpTip: () => '↑↓ choose • ⏎ select • q, Esc leave' } },
              choices: offers.map((offer) => {
                const why = whyNot(offer);
                return {
                  name: `${offer.meta.title} (${offer.meta.risk})`,
                  value: offer,
                  description: legible(offer.meta.does),
                  disabled: why === undefined ? false : `\n  ${legible(`refused: ${why}`)}`,
                };
              }),
            },
            context,
          ),
        () => false,
      ),
    );
  const offerable = <T extends Choosable>(finding: FindingReport, offers: readonly T[]): Promise<T> => {
    const able = offers.filter((offer) => whyNot(offer) === undefined);
    // With nothing to choose, the reason of the first is what there is to say.
    const [first] = offers;
    return able.length === 0 && first !== undefined ? Promise.resolve(first) : chooseRemedy(finding, offers);
  };
  return {
    ...conversation,
    ...(canAsk() ? { chooseFinding, chooseRemedy: offerable } : {}),
    explain(finding: FindingReport, { meta }: { readonly meta: RemedySummary }): void {
      conversation.close();
      if (!document || process.stderr.isTTY) out.write(renderRemedySummary(finding, meta, terminalLook(out)));
      conversation.resume();
    },
  };
}
