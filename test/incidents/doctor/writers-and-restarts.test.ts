import { describeDoctor } from '../diagnosed.ts';
import { writersAndRestarts } from '../states/writers-and-restarts.ts';

describeDoctor('writers and restarts', writersAndRestarts);
