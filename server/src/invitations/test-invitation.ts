import type { Sql } from '../database/sql.ts'
import { generateToken, hashToken } from '../vault.ts'

/** Gives an invitation the token of an emailed link, which it returns: without a mail server, its link is one for enrolment. */
export async function replaceToken(sql: Sql, invitationId: string): Promise<string> {
  const token = generateToken()
  await sql`update invitations set token_hash = ${hashToken(token)} where id = ${invitationId}`
  return token
}
