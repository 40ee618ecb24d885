/** A PNG picture of one pixel. */
export const pixel = Uint8Array.from(
  atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGOQ0o4BAAEEAKKbkrHNAAAAAElFTkSuQmCC'),
  (character) => character.charCodeAt(0),
);
