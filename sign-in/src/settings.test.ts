import { expect, test } from 'vitest'
import { Version } from './index.ts'
import { defaults, resolveSettings, type SigninSettings } from './settings.ts'

const required = { authority: 'https://op.example', client_id: 'app' }

const table = [
  ['a silent frame times out after 10000 ms', 'silentRequestTimeout', 10_000],
  ['a popup is polled every 500 ms', 'popupCheckInterval', 500],
  [
    'a popup is 500 by 500 at 100, 100, without toolbar and location bar',
    'popupWindowFeatures',
    'location=no,toolbar=no,width=500,height=500,left=100,top=100;',
  ],
  ['expiring is emitted 60 s before', 'accessTokenExpiringNotificationTime', 60],
  ['the session is checked every 2000 ms', 'checkSessionInterval', 2000],
  ['an unanswered request is stale after 900 s', 'staleStateAge', 900],
  ['clocks may differ by 300 s', 'clockSkew', 300],
  ['automatic renewal is off', 'automaticSilentRenew', false],
  ['sub validation on renewal is off', 'validateSubOnSilentRenew', false],
  ['the ID token is sent in silent renewal', 'includeIdTokenInSilentRenew', true],
  ['the session is monitored', 'monitorSession', true],
  ['an anonymous session is not monitored', 'monitorAnonymousSession', false],
  ['nothing is revoked on sign-out', 'revokeAccessTokenOnSignout', false],
  ['a sign-out is a redirect', 'postLogout', 'redirect'],
  ['a provider is not assumed to isolate its pages', 'popupIsolated', false],
  ['an error stops the session check', 'stopCheckSessionOnError', true],
  ['the response type is code', 'response_type', 'code'],
  ['user-info is loaded', 'loadUserInfo', true],
  ['protocol claims are filtered', 'filterProtocolClaims', true],
  ['warnings are logged', 'logLevel', 'warn'],
] as const

test.each(table)('%s by default', (_, name, value) => {
  expect(defaults[name]).toBe(value)
  expect(resolveSettings(required)[name]).toBe(value)
  expect(resolveSettings({ ...required, [name]: undefined } as unknown as SigninSettings)[name]).toBe(value)
})

test('given settings override the defaults', () => {
  expect(resolveSettings({ ...required, automaticSilentRenew: true, clockSkew: 0 })).toMatchObject({
    automaticSilentRenew: true,
    clockSkew: 0,
  })
})

test.each([
  [{}, 'code'],
  [{ response_type: 'code' }, 'code'],
  [{ response_type: 'id_token' }, 'id_token'],
  [{ response_type: 'code', query_status_response_type: 'id_token' }, 'id_token'],
  [{ response_type: 'id_token', query_status_response_type: 'code' }, 'code'],
] as [Partial<SigninSettings>, string][])(
  'with the settings %j the session query requests %s',
  (overrides, expected) => {
    expect(resolveSettings({ ...required, ...overrides }).query_status_response_type).toBe(expected)
  },
)

test('the version matches the compatible behaviour', () => {
  expect(Version).toBe('1.11.5')
})

test.each(['token', 'id_token token', 'code id_token', 'none'])('rejects the response type %s', (type) => {
  const settings = { ...required, response_type: type } as unknown as SigninSettings
  expect(() => resolveSettings(settings)).toThrow(expect.objectContaining({ code: 'unsupported_response_type' }))
})

test.each([undefined, ''])('rejects the client_id %j', (client_id) => {
  const settings = { ...required, client_id } as unknown as SigninSettings
  expect(() => resolveSettings(settings)).toThrow(
    expect.objectContaining({ code: 'no_client_id', message: 'No client_id configured on settings' }),
  )
})

test.each([
  ['client_secret', 'hush'],
  ['client_authentication', 'client_secret_basic'],
  ['clockService', {}],
  ['userInfoJwtIssuer', 'ANY'],
  ['ResponseValidatorCtor', class {}],
  ['MetadataServiceCtor', class {}],
  ['redirectNavigator', {}],
  ['popupNavigator', {}],
  ['iframeNavigator', {}],
  // Stores of `oidc-client` have other methods.
  ['userStore', { get: () => {}, set: () => {} }],
  ['stateStore', { get: () => {}, set: () => {} }],
])('rejects the setting %s by its name', (name, value) => {
  expect(() => resolveSettings({ ...required, [name]: value })).toThrow(
    expect.objectContaining({ code: 'unsupported_setting', message: `The setting ${name} is not supported` }),
  )
})

test.each([undefined, ''])(
  'accepts an unsupported setting with the value %j, which counts as unset',
  (client_secret) => {
    const settings = resolveSettings({ ...required, client_secret } as SigninSettings)
    expect(settings).not.toHaveProperty('client_secret')
  },
)

test.each([
  ['none', []],
  ['error', ['error']],
  ['warn', ['error', 'warn']],
  ['info', ['error', 'warn', 'info']],
  ['debug', ['error', 'warn', 'info', 'debug']],
] as const)('the log level %s logs %j', (logLevel, expected) => {
  const logged: unknown[] = []
  const log = (level: string) => (text: unknown) => logged.push([level, text])
  const methods = { error: log('error'), warn: log('warn'), info: log('info'), debug: log('debug') }
  const { logger } = resolveSettings({ ...required, logLevel, logger: methods })
  for (const level of ['error', 'warn', 'info', 'debug'] as const) logger[level]?.('text')
  expect(logged).toEqual(expected.map((level) => [level, 'text']))
})

test('a logger may lack methods', () => {
  const { logger } = resolveSettings({ ...required, logLevel: 'debug', logger: {} })
  expect(logger.debug?.('text')).toBeUndefined()
})

test('fails with “No authority or metadataUrl configured on settings” without either', () => {
  const settings = { client_id: 'app' } as SigninSettings
  expect(() => resolveSettings(settings)).toThrow('No authority or metadataUrl configured on settings')
})
