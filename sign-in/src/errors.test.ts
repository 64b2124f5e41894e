import { expect, test } from 'vitest'
import { SigninError, type SigninErrorCode, signinError, toSigninError } from './errors.ts'

test.each<[SigninErrorCode, string]>([
  ['no_popup_redirect_uri', 'No popup_redirect_uri or redirect_uri configured'],
  ['no_silent_redirect_uri', 'No silent_redirect_uri configured'],
  ['no_token_response', 'No response returned from token endpoint'],
  ['no_access_token', 'No access token returned from token endpoint'],
  ['sub_changed', 'sub in id_token does not match current sub'],
  ['auth_time_changed', 'auth_time in id_token does not match original auth_time'],
  ['azp_changed', 'azp in id_token does not match original azp'],
  ['azp_missing', 'azp not in id_token, but present in original id_token'],
  ['invalid_id_token', 'Failed to validate id_token'],
  ['login_required', 'login_required'],
  ['no_url', 'No url provided'],
  ['popup_closed', 'Popup window closed'],
  ['invalid_popup_response', 'Invalid response from popup'],
  ['frame_timeout', 'Frame window timed out'],
  ['invalid_request_type', 'invalid response_type in state'],
])('the error %s has the message “%s”', (code, message) => {
  const cause = new Error('underneath')
  const error = signinError(code, cause)
  expect(error).toBeInstanceOf(Error)
  expect(error).toBeInstanceOf(SigninError)
  expect(error).toMatchObject({ name: 'SigninError', message, code, error: code, cause })
  expect(String(error)).toBe(`SigninError: ${message}`)
})

test.each([
  ['an error of fetch', new TypeError('Failed to fetch'), 'network_error'],
  ['a timeout', new DOMException('took too long', 'TimeoutError'), 'timeout'],
  [
    'an error of a library',
    Object.assign(new TypeError('bad argument'), { code: 'ERR_INVALID_ARG_VALUE' }),
    'invalid_response',
  ],
  ['a refused URL', Object.assign(new Error('no'), { code: 'OAUTH_HTTP_REQUEST_FORBIDDEN' }), 'insecure_address'],
  ['a full storage', new DOMException('full', 'QuotaExceededError'), 'storage_unavailable'],
  ['a forbidden storage', new DOMException('no', 'SecurityError'), 'storage_unavailable'],
  ['a string', 'no', 'invalid_response'],
])('%s becomes a SigninError', (_, thrown, code) => {
  expect(toSigninError(thrown)).toMatchObject({ name: 'SigninError', code, cause: thrown })
})

test('an aborted signal takes precedence over the error', () => {
  const reason = new Error('enough')
  expect(toSigninError(new TypeError('Failed to fetch'), AbortSignal.abort(reason))).toMatchObject({
    code: 'aborted',
    cause: reason,
  })
})
