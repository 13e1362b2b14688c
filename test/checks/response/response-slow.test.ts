import { responseSlow } from '../../../src/checks/response/response-slow.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { allows, blind, quiet, refused, type Tried, tried } from '../probed.ts';

/** Allows, after that many milliseconds of the 10 s that the webhook has. */
const after = (milliseconds: number): Tried => ({
  ...allows,
  dialogues: (allows.dialogues ?? []).map((dialogue) => ({
    ...dialogue,
    reviews: dialogue.reviews.map((review) => ({ ...review, milliseconds })),
  })),
});

describeCheck(responseSlow, {
  reports: [
    {
      name: 'one replica of two that takes more than half of the time',
      facts: tried([after(200), after(6040)]),
      expect: {
        messageId: 'slow',
        confidence: 'observed',
        data: { replicas: 'Pod policy-2', slowest: '6.0 s', fastest: '0.2 s', timeout: 10, bad: 1, total: 2 },
      },
    },
  ],
  staysSilent: [
    ...quiet,
    { name: 'it takes half of the time', facts: tried([after(5000)]), outcome: 'pass' },
    { name: 'it takes longer than it may: that is a hang', facts: tried([after(10_500)]), outcome: 'pass' },
    { name: 'nobody answers', facts: tried([refused]), outcome: 'pass' },
  ],
  cannotTell: blind,
});
