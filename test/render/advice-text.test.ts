import { expect } from 'chai';
import { adviceText } from '../../src/render/terminal/advice-text.ts';

describe('advice on a terminal', () => {
  for (const [name, advice, shown] of [
    ['gives a command at the end its own line', 'Look: `kubectl get pods`', 'Look:\n  kubectl get pods'],
    ['drops the full stop after it', 'Look: `kubectl get pods`.', 'Look:\n  kubectl get pods'],
    ['goes on below it', 'Look: `kubectl get x`; then wait.', 'Look:\n  kubectl get x\nthen wait.'],
    ['leaves one inside a sentence', 'Compare `kubectl get x` with y.', 'Compare `kubectl get x` with y.'],
    ['leaves other quotes', 'Set: `spec.x`.', 'Set: `spec.x`.'],
    ['takes a command alone', '`kubectl get x`', '  kubectl get x'],
    ['takes two', 'A: `kubectl a`. B: `kubectl b`', 'A:\n  kubectl a\nB:\n  kubectl b'],
  ] as const) {
    it(name, () => expect(adviceText(advice)).to.equal(shown));
  }
});
