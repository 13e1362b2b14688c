import stringWidth from 'string-width';
import type { BackendReport, CalloutReport } from '../../diagnose/report.ts';
import { calloutId } from '../../facts/callout.ts';
import { andMore, countedWebhooks } from '../../phrases/lists.ts';
import { cut, type Style, undivided, wrap } from './style.ts';

/** `namespace/name:port/path`, or the URL. */
export function backendText({ service, url }: BackendReport, withPath = true): string {
  if (service === undefined) return url ?? 'no backend';
  return `${service.namespace}/${service.name}:${service.port}${withPath ? (service.path ?? '') : ''}`;
}

const policyOf = ({ failurePolicy }: CalloutReport): string => failurePolicy ?? '';
const timeoutOf = ({ timeoutSeconds }: CalloutReport): string => `${timeoutSeconds} s`;

const widest = (texts: readonly string[]): number => Math.max(...texts.map((text) => text.length));

/** Webhooks with one cause: policy and timeout, then the id, never broken so that it can be copied. */
function listed(callouts: readonly CalloutReport[], style: Style, all: boolean): string[] {
  const shared = new Set(callouts.map(({ backend }) => backendText(backend, false))).size === 1;
  const [policies, timeouts] = [widest(callouts.map(policyOf)), widest(callouts.map(timeoutOf))];
  const linesWith = (own: (callout: CalloutReport) => string) =>
    callouts.map((callout) => {
      const facts = [policyOf(callout).padEnd(policies), timeoutOf(callout).padStart(timeouts)];
      return `  ${[...facts, style.paint.bold(calloutId(callout)), own(callout)].filter(Boolean).join('  ')}`;
    });
  const bare = linesWith(() => '');
  const full = shared ? bare : linesWith(({ backend }) => style.paint.dim(backendText(backend, false)));
  const lines = Math.max(...full.map((line) => stringWidth(line))) <= style.width ? full : bare;
  const [first] = callouts;
  const backend = shared && first !== undefined ? [`  ${backendText(first.backend, false)}`] : [];
  return [...backend, ...cut(lines, all ? undefined : 5, (rest) => `  ${andMore(rest, '--all lists them')}`)];
}

/** The headline of a block: its webhooks, with backend, failurePolicy and timeout. */
export function subjectLines(
  headline: string,
  callouts: readonly [CalloutReport, ...CalloutReport[]],
  style: Style,
  all: boolean,
): string[] {
  const [only, ...others] = callouts;
  if (others.length > 0)
    return [`${headline}  ${countedWebhooks(callouts)}`, ...listed(callouts, style, all)];
  const { dot } = style.marks;
  const isFitting = (text: string): boolean => 2 + stringWidth(text) <= style.width;
  const facts = (policy: string, withPath = true): string =>
    [
      backendText(only.backend, withPath),
      ...(only.failurePolicy === undefined ? [] : [policy + only.failurePolicy]),
      `timeout ${timeoutOf(only)}`,
    ]
      .map(undivided)
      .join(` ${dot} `);
  // Words, then the path, are left out where the line would be too long.
  const line = [facts('failurePolicy '), facts('')].find(isFitting);
  const id = style.paint.bold(calloutId(only));
  const fits = stringWidth(headline) + 2 + stringWidth(id) <= style.width;
  return [
    ...(fits ? [`${headline}  ${id}`] : [headline, `  ${id}`]),
    ...wrap(line ?? facts('', all), style.width, '  '),
  ];
}
