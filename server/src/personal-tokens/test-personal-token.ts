import { personalTokenForm } from '../prefixed-token.ts'
import type { TestService, Visitor } from '../test-service.ts'
import { add, type PersonalTokenRow } from './store.ts'

/** Creates a personal token for this API, without the rate limit and the email of the endpoint. */
export async function issuePersonalToken(
  { sql }: Pick<TestService, 'sql'>,
  { id: userId }: Pick<Visitor, 'id'>,
): Promise<PersonalTokenRow & { value: string }> {
  const value = personalTokenForm.generate()
  const fields = {
    userId,
    loginId: null,
    browserId: null,
    name: 'Backup',
    scopes: ['api_vertex_core'],
    expiresInDays: 30,
  }
  return { ...(await add(sql, value, value.slice(0, personalTokenForm.startLength), fields)), value }
}
