import { type SignInTest, testClientSignIn } from '@passport/contract/client-sign-in-test'
import type { Client } from '@passport/contract/clients'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../app/api.ts'
import { reportFailure } from '../app/messages.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Check } from '../ui/Check.tsx'
import { CodeBlock } from '../ui/CodeBlock.tsx'
import { Field } from '../ui/Field.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import { Select } from '../ui/Select.tsx'
import { Status } from '../ui/Status.tsx'

/** Tests a sign-in to an application with the caller's own account: what the application would get, or the error. */
export function SignInTestCard({ client: { clientId, redirectUris, pkce } }: { client: Client }) {
  const [redirectUri, setRedirectUri] = useState(redirectUris[0] ?? '')
  const [scope, setScope] = useState('openid profile email')
  const [hasPkce, setHasPkce] = useState(pkce === 'required')
  const test = useMutation({
    mutationFn: () => call(testClientSignIn, { params: { clientId }, body: { redirectUri, scope, pkce: hasPkce } }),
    onError: (error) => reportFailure('test the sign-in', error),
  })
  return (
    <Card title="Test sign-in" description="With your account. Nobody is signed in, and nothing is stored.">
      <form
        className="grid gap-4 px-4 pb-4 sm:px-[18px]"
        onSubmit={(event) => {
          event.preventDefault()
          test.mutate()
        }}
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <Select
            label="Redirect URI"
            options={redirectUris.map((value) => ({ value, label: value }))}
            value={redirectUri}
            onChange={({ target }) => setRedirectUri(target.value)}
          />
          <Field
            label="Scopes"
            spellCheck={false}
            autoComplete="off"
            className="font-mono text-[13px]"
            value={scope}
            onChange={({ target }) => setScope(target.value)}
          />
        </div>
        <div className="flex flex-wrap items-center justify-between gap-3">
          <Check checked={hasPkce} onChange={({ target }) => setHasPkce(target.checked)}>
            With PKCE
          </Check>
          <Button type="submit" isBusy={test.isPending}>
            Test sign-in
          </Button>
        </div>
      </form>
      {test.data && <Result result={test.data} />}
    </Card>
  )
}

const consentSentences = {
  never: 'You are not asked for consent.',
  remembered: 'You are not asked for consent: you gave it before.',
  asked: 'You are asked for consent.',
}

function Result({
  result: { request, refusal, consent, idToken, accessToken, userInfo, hasRefreshToken },
}: {
  result: SignInTest
}) {
  const parts = {
    'ID token': idToken?.claims,
    'Access token': accessToken?.claims,
    'User info': userInfo,
    Request: request,
  }
  const [chosen, setChosen] = useState<keyof typeof parts>(refusal ? 'Request' : 'ID token')
  const names = Object.keys(parts) as (keyof typeof parts)[]
  const shown = refusal ? 'Request' : chosen
  const part = parts[shown]
  return (
    <div className="grid grid-cols-1 gap-3 border-t border-hair px-4 py-4 sm:px-[18px]">
      <div role="status">
        {refusal ? (
          <>
            <Status tone="bad">Refused</Status>
            <p className="mt-1.5 [overflow-wrap:anywhere]">
              <code className="font-mono text-[13px]">{refusal.error}</code>
              {refusal.description && `: ${refusal.description}`}
            </p>
            <p className="mt-1 text-[13px] text-ink2">
              {refusal.isReturned
                ? 'The application receives this error at the redirect URI.'
                : 'The user sees an error page of Passport.'}
            </p>
          </>
        ) : (
          <>
            <Status tone="ok">Works</Status>
            <p className="mt-1.5">
              {consent && consentSentences[consent]}
              {hasRefreshToken && ' The application also gets a refresh token.'}
            </p>
          </>
        )}
      </div>
      {!refusal && (
        <div className="w-fit max-w-full overflow-x-auto">
          <Segmented
            label="Part of the response"
            value={shown}
            options={names.map((value) => ({ value, label: value }))}
            onChange={setChosen}
          />
        </div>
      )}
      {part ? (
        <CodeBlock
          label={shown}
          text={typeof part === 'string' ? part : JSON.stringify(part, null, 2)}
          isWrapped={typeof part === 'string'}
        />
      ) : (
        <p className="text-[13px] text-ink2">{missing[shown]}</p>
      )}
    </div>
  )
}

/** Why a part of a successful sign-in is missing. */
const missing: Record<string, string> = {
  'ID token': 'None without the scope openid.',
  'Access token': 'Opaque: only the user-info endpoint accepts it.',
  'User info': 'Not available with this access token.',
}
