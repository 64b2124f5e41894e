/** How far the clocks of clients may be ahead of the server's, in seconds. */
export const clockSlackSeconds = 5 * 60
