import { certificateTools } from './certificate-tools.ts';
import { declaredState } from './declared-state.ts';
import { meshesAndInjectors } from './meshes-and-injectors.ts';
import { networkingAndStorage } from './networking-and-storage.ts';
import { operators } from './operators.ts';
import { platforms } from './platforms.ts';
import { policyEngines } from './policy-engines.ts';
import type { Product } from './product.ts';
import { workloadControllers } from './workload-controllers.ts';

/** All known products, sorted by name. */
export const products: readonly Product[] = [
  ...policyEngines,
  ...meshesAndInjectors,
  ...platforms,
  ...certificateTools,
  ...declaredState,
  ...networkingAndStorage,
  ...workloadControllers,
  ...operators,
].sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
