/** An invitation is good for so long after it was sent or sent again. */
export const invitationDays = 7
