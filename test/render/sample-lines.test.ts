import { expect } from 'chai';
import type { CalloutReport } from '../../src/diagnose/report.ts';
import { sampleRows } from '../../src/render/terminal/sample-lines.ts';
import { styleOf } from '../../src/render/terminal/style.ts';

const object = (name: string) => ({ kind: 'ConfigMap', namespace: 'shop', name });
const names = ['a', 'b', 'c', 'd', 'e'];
const report = {
  replicas: [
    {
      pod: 'policy-1',
      answers: names.map((name) => ({
        object: object(name),
        operation: 'CREATE',
        outcome: name === 'e' ? ('denied' as const) : ('allowed' as const),
      })),
    },
  ],
  samples: names.map((name) => ({
    object: object(name),
    by: 'stored' as const,
    operation: 'CREATE' as const,
  })),
} as unknown as CalloutReport;

describe('objects that a webhook was called with', () => {
  it('are one line if the responses are the same', () => {
    const rows = sampleRows(report, styleOf({ colour: false, unicode: true, width: 200 }));
    expect(rows.map((lines) => lines.join(' ').replace(/\s+/g, ' ').trim())).to.deep.equal([
      'CREATE ConfigMap shop/a (stored), CREATE ConfigMap shop/b (stored), CREATE ConfigMap shop/c (stored) and 1 more: allowed by every replica',
      'CREATE ConfigMap shop/e (stored): denied by every replica',
    ]);
  });
});
