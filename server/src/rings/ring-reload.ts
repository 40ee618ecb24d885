/** The channel on which fronts are asked to replace the process of a ring. */
export const reloadChannel = 'chowk_ring_reload';
