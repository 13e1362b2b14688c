import { expect } from 'chai';
import type { CalloutReport, FindingReport } from '../../src/diagnose/report.ts';
import type { NotLookedAt } from '../../src/facts/unread.ts';
import { chainLine } from '../../src/render/terminal/chain-line.ts';
import { styleOf } from '../../src/render/terminal/style.ts';
import { calloutReport, findingReport, reportOf } from '../support/report.ts';
import { listing } from '../support/unread.ts';

const style = styleOf({ width: 120, colour: false, unicode: true });
type Link = FindingReport['link'];

const evaluated = (...parts: [CalloutReport, FindingReport[]?, (readonly NotLookedAt[])?]): CalloutReport =>
  reportOf([parts[0]], parts[1], parts[2]).callouts[0] ?? parts[0];

function line(
  verdict: Partial<CalloutReport['verdict']>,
  found: Readonly<Partial<Record<Link, FindingReport['severity']>>> = {},
  notLookedAt: readonly NotLookedAt[] = [],
): string {
  const callout = calloutReport({ verdict: { because: ['x'], effect: 'blocks', ...verdict } });
  const findings = Object.entries(found).map(([link, severity]) =>
    findingReport(callout, { check: 'x', link: link as Link, severity }),
  );
  return chainLine(evaluated(callout, findings, notLookedAt), style)
    .join('|')
    .trim()
    .replaceAll('  ', ' ');
}

describe('the chain', () => {
  for (const [name, drawn, expected] of [
    [
      'is good up to the break and open behind it',
      line({ state: 'failing', link: 'backend' }, { backend: 'error' }),
      'registration ✔ routing ✔ backend ✖ others not checked',
    ],
    [
      'marks what only some replicas break',
      line({ state: 'degraded', link: 'replica' }),
      'registration ✔ routing ✔ backend ✔ replica ▲ others not checked',
    ],
    [
      'shows a doubt as one',
      line({ state: 'unknown', link: 'routing' }),
      'registration ✔ routing ? others not checked',
    ],
    [
      'marks consequences and warnings on the way',
      line(
        { state: 'failing', link: 'replica' },
        { registration: 'warning', backend: 'error', replica: 'error' },
      ),
      'registration ▲ routing ✔ backend ✖ replica ✖ others not checked',
    ],
    [
      'has packets stop before TLS',
      line({ state: 'failing', link: 'network' }),
      'registration ✔ routing ✔ backend ✔ replica ✔ network ✖ tls and response not checked',
    ],
    [
      'shows a cause beside the path behind it',
      line({ state: 'failing', link: 'scope' }, { scope: 'error', backend: 'error' }),
      'registration ✔ routing ✔ backend ✖ scope ✖ others not checked',
    ],
    [
      'does not call good what nobody could read',
      line({ state: 'failing', link: 'replica' }, {}, [
        { what: listing('services', 'shop'), why: 'forbidden' },
        { what: listing('endpointslices', 'other'), why: 'forbidden' },
      ]),
      'registration ✔ routing ? backend ✔ replica ✖ others not checked',
    ],
    ['is not drawn when nothing tells the link', line({ state: 'unknown' }), ''],
  ] as const) {
    it(name, () => expect(drawn).to.equal(expected));
  }

  it('counts replicas, and keeps each mark beside its link when narrow', () => {
    const callout = calloutReport({
      verdict: { state: 'degraded', link: 'replica', because: ['x'], effect: 'blocks' },
      replicas: [
        { pod: 'a', ready: true, state: 'ready' },
        { pod: 'b', ready: false, state: 'crash-looping' },
      ],
    });
    const lines = chainLine(evaluated(callout), { ...style, width: 40 });
    expect(lines.map((text) => text.trim())).to.deep.equal([
      'registration ✔  routing ✔',
      'backend ✔ (1/2)  replica ▲',
      'others not checked',
    ]);
  });

  it('names no link that was not checked if the line is too long with them', () => {
    const callout = calloutReport({
      verdict: { state: 'failing', link: 'tls', because: ['x'], effect: 'blocks' },
      replicas: [{ pod: 'a', ready: true, state: 'ready' }],
    });
    const found = evaluated(callout, [
      findingReport(callout, { check: 'x', link: 'tls', severity: 'error' }),
    ]);
    expect(chainLine(found, style).join('|')).to.match(/response and network not checked$/);
    expect(chainLine(found, { ...style, width: 90 }).join('|'))
      .to.match(/others not checked$/)
      .and.not.include('|');
    // The note is not worth a line of its own. Closer together, a number would belong to the next link.
    expect(chainLine(found, { ...style, width: 80 })).to.deep.equal([
      '    registration ✔  routing ✔  backend ✔ (1/1)  replica ✔  tls ✖',
    ]);
  });
});
