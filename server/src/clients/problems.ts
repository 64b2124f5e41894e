import { maxClientSecrets } from '@passport/contract/clients'
import type { FieldError } from '@passport/contract/problem'
import { problem } from '../http/problem.ts'

export const clientNotFound = problem(404, 'client-not-found', {
  meaning: 'Application not found.',
  remedy: 'Check the client id.',
})
export const clientIdTaken = problem(409, 'client-id-taken', {
  meaning: 'An application with this client id already exists, or is in the trash.',
  remedy: 'Choose another client id, or restore the application.',
  field: 'clientId',
})
export const clientReadOnly = problem(409, 'client-read-only', {
  meaning: 'The application is built in, or comes from the configuration of the server.',
  remedy: 'Change CLIENTS or the configuration file, and restart the server.',
})
export const clientPublic = problem(409, 'client-public', {
  meaning: 'A public client has no secrets and no scopes, and requires PKCE.',
  remedy: 'Create a confidential client for an application with a server.',
})
export const tooManySecrets = problem(409, 'too-many-secrets', {
  meaning: `The application has ${maxClientSecrets} secrets already.`,
  remedy: 'Delete the one that is no longer used.',
})
export const secretNotFound = problem(404, 'client-secret-not-found', {
  meaning: 'Secret not found.',
  remedy: 'It may have been deleted already.',
})
export const unknownApiScopes = problem(400, 'unknown-api-scopes', {
  meaning: 'An identity API or one of its scopes does not exist.',
  remedy: 'Choose among the scopes of the API.',
  details: (errors: FieldError[]) => ({ detail: errors.map(({ message }) => message).join(' '), errors }),
})
