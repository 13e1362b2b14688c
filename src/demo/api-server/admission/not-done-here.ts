/** Something that the demo would have to make up: the request as a whole is not answered. */
export class NotDoneHere extends Error {}
