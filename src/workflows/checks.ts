import { catalogue } from '../checks/catalogue.ts';
import { type Check, isExplainedBy, messageText } from '../checks/check.ts';
import { stepTemplates } from '../phrases/advice.ts';
import {
  type CheckDocument,
  type CheckEntry,
  type CheckList,
  type CheckMessage,
  linkPages,
} from '../render/checks/check-document.ts';

const apiVersion = 'kubectl-webhook/v1';

function messagesOf({ meta }: Check): readonly CheckMessage[] {
  return Object.entries(meta.messages).map(([id, message]) => {
    const graded = typeof message === 'string' ? undefined : message;
    const consequence = graded?.consequence ?? meta.consequence;
    return {
      id,
      text: messageText(message),
      severity: graded?.severity ?? meta.severity,
      ...(consequence === undefined || consequence === 'none' ? {} : { consequence }),
      ...(graded?.advice === undefined ? {} : { advice: { steps: stepTemplates(graded.advice), names: {} } }),
    };
  });
}

const idsOf = (checks: readonly Check[]): readonly string[] => checks.map(({ meta }) => meta.id);

const isKubernetesPage = (page: string): boolean => page.startsWith('/');

function entry(check: Check, checks: readonly Check[]): CheckEntry {
  const { id, link, title, severity, why, advice, references = [], aliases } = check.meta;
  return {
    ...{ id, link, title, severity, why, advice: { steps: stepTemplates(advice), names: {} } },
    messages: messagesOf(check),
    explainedBy: idsOf(checks.filter((other) => isExplainedBy(check, other))),
    explains: idsOf(checks.filter((other) => isExplainedBy(other, check))),
    reads: check.requires,
    references: (references.some(isKubernetesPage) ? references : [...references, linkPages[link]]).map(
      (page) => (isKubernetesPage(page) ? `https://kubernetes.io${page}` : page),
    ),
    aliases: aliases ?? [],
  };
}

/** All checks, in the order of the catalogue. */
export const listChecks = (checks: readonly Check[] = catalogue): CheckList => ({
  apiVersion,
  kind: 'CheckList',
  checks: checks.map((check) => entry(check, checks)),
});

/** One check by its current or former id; `undefined` if there is none. */
export function explainCheck(id: string, checks: readonly Check[] = catalogue): CheckDocument | undefined {
  const check = checks.find(({ meta }) => meta.id === id || meta.aliases?.includes(id));
  return check === undefined ? undefined : { apiVersion, kind: 'Check', ...entry(check, checks) };
}
