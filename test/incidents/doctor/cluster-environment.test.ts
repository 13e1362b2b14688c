import { describeDoctor } from '../diagnosed.ts';
import { clusterEnvironment } from '../states/cluster-environment.ts';

describeDoctor('cluster environment', clusterEnvironment);
