import { openScene, type Scene } from '../cluster/scene.ts';
import { needs, nodeCluster } from '../cluster/suite.ts';
import type { Case } from './cases/case.ts';
import { cases } from './cases/catalogue.ts';
import { writeIndex, writePage } from './cases/pages.ts';
import { openStage } from './cases/stage.ts';

const update = process.env.UPDATE !== undefined;
/** One of them, by name. */
const wanted = process.env.CASE;
const played = cases.filter(({ name }) => wanted === undefined || name === wanted);

describe('cases that happened to people', function () {
  needs('node');
  this.timeout(600_000);
  let scene: Scene;
  let kubeconfig = '';
  const plays = new Map<string, Promise<void>>();

  async function play(one: Case): Promise<void> {
    const { stage, page } = await openStage(one, scene, kubeconfig);
    try {
      await one.play(stage);
      if (update) writePage(one.name, page());
    } finally {
      await one.after?.(stage);
    }
  }

  before(async () => {
    const cluster = await nodeCluster();
    kubeconfig = cluster.kubeconfig;
    scene = await openScene(cluster.client);
    for (const one of played.filter(({ alone }) => !alone)) {
      const playing = play(one);
      // Told by the case itself.
      playing.catch(() => undefined);
      plays.set(one.name, playing);
    }
    if (update) writeIndex(cases);
  });
  after(async function () {
    this.timeout(60_000);
    await scene?.leave();
  });

  // Whoever needs the node for itself waits for the others.
  for (const one of played.toSorted((a, b) => Number(a.alone ?? false) - Number(b.alone ?? false))) {
    it(one.title, async () => {
      if (one.alone) await Promise.allSettled(plays.values());
      const playing = plays.get(one.name) ?? play(one);
      // A second try begins anew.
      plays.delete(one.name);
      await playing;
    });
  }
});
