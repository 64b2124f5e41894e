/** The validity of an invitation in days, since it was last sent. */
export const invitationDays = 7
