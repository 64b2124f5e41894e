import { ApiError } from '@passport/contract/call'
import {
  type DeviceAuthorization,
  decideDeviceAuthorization,
  getDeviceAuthorization,
} from '@passport/contract/device-authorization'
import { useMutation } from '@tanstack/react-query'
import { useLocation, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { call, failureOf } from '../app/api.ts'
import { useCurrentUser } from '../app/page-user.ts'
import { signInAddress } from '../app/return-url.ts'
import { Button, buttonClass } from '../ui/Button.tsx'
import { Field } from '../ui/Field.tsx'
import { attemptsLeftOf } from './attempts-left.ts'
import { RequestCard } from './RequestCard.tsx'

/** The person's end of the device flow: a code, who asks with it, and yes or no. A QR code leads here with the code. */
export function DevicePage() {
  const user = useCurrentUser()
  const { href } = useLocation()
  const { user_code: given } = useSearch({ strict: false }) as { user_code?: unknown }
  const code = typeof given === 'string' ? given : ''
  return (
    <div className="mx-auto w-full max-w-[520px]">
      <h1>Sign a device in</h1>
      {user ? (
        <Steps given={code} />
      ) : (
        <div className="mt-6 rounded-box border border-line bg-card p-5">
          <p>
            {code ? 'Sign in to see which device asks with this code.' : 'Sign in, then give the code of your device.'}
          </p>
          {code && <p className="mt-3 font-mono text-[20px] tracking-[.12em]">{code}</p>}
          <a className={`${buttonClass('primary')} mt-4`} href={signInAddress(`/app${href}`)}>
            Sign in
          </a>
        </div>
      )}
    </div>
  )
}

function Steps({ given }: { given: string }) {
  const [code, setCode] = useState(given)
  const [done, setDone] = useState<Decided>()
  const look = useMutation({ mutationFn: (code: string) => call(getDeviceAuthorization, { params: { code } }) })
  const decide = useDecision(setDone)
  const { mutate: lookUp } = look
  // A code that came with the address was scanned: looking changes nothing, and saves a step.
  useEffect(() => {
    if (given) lookUp(given)
  }, [given, lookUp])

  if (done) return <Done {...done} />
  if (look.data)
    return (
      <RequestCard
        request={look.data}
        complaint={decide.error ? failureOf(decide.error).detail : undefined}
        attemptsLeft={attemptsLeftOf(decide.error)}
        isBusy={decide.isPending}
        onDecide={(action, match) => decide.mutate({ request: look.data, action, match })}
      />
    )
  return (
    <form
      className="mt-6 rounded-box border border-line bg-card p-5"
      onSubmit={(event) => {
        event.preventDefault()
        lookUp(code)
      }}
    >
      <Field
        label="The code that your device shows"
        className="font-mono text-[20px] uppercase tracking-[.12em]"
        placeholder="XXXX-XXXX"
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        maxLength={20}
        value={code}
        error={look.error ? failureOf(look.error).detail : undefined}
        onChange={({ target }) => setCode(target.value)}
      />
      <Button type="submit" look="primary" className="mt-4" isBusy={look.isPending} disabled={code.trim() === ''}>
        Look it up
      </Button>
      <p className="mt-4 text-[13px] text-ink3">
        Only give a code that you see on a device of your own. Somebody who sends you one wants to be signed in as you.
      </p>
    </form>
  )
}

interface Decision {
  request: DeviceAuthorization
  action: 'approve' | 'deny'
  match: string
}

/** What came of it; a PIN is there where the device must be given one. */
interface Decided {
  status: 'approved' | 'denied'
  pin: string | null
}

function useDecision(onDone: (decided: Decided) => void) {
  return useMutation({
    mutationFn: ({ request, action, match }: Decision) =>
      call(decideDeviceAuthorization, {
        body: { code: request.userCode, action, ...(match && action === 'approve' && { match }) },
      }),
    onSuccess: ({ pin }, { action }) => onDone({ status: action === 'approve' ? 'approved' : 'denied', pin }),
    onError: (error, { request }) => {
      if (!(error instanceof ApiError)) return
      if (error.problem?.code === 'device-code-denied') onDone({ status: 'denied', pin: null })
      if (error.problem?.code !== 'reauthentication-required') return
      const here = `/app/device?user_code=${encodeURIComponent(request.userCode)}`
      location.assign(`/login?prompt=login&returnUrl=${encodeURIComponent(here)}`)
    },
  })
}

function Done({ status, pin }: Decided) {
  if (pin) return <PinShown pin={pin} />
  return (
    <div role="status" className="mt-6 rounded-box border border-line bg-card p-5">
      <h2>{status === 'approved' ? 'The device is signed in' : 'The device was kept out'}</h2>
      <p className="mt-1.5 text-ink2">
        {status === 'approved'
          ? 'Go on there; this page may be closed. What it may do can be taken back on your account.'
          : 'Nothing was given to it. If somebody sent you the code, they wanted to be signed in as you.'}
      </p>
      <a className={`${buttonClass()} mt-4`} href="/app/account/logins">
        See your account
      </a>
    </div>
  )
}

function PinShown({ pin }: { pin: string }) {
  return (
    <div role="status" className="mt-6 rounded-box border border-line bg-card p-5">
      <h2>Now type this PIN on the device</h2>
      <p className="mt-3 font-mono text-[32px] tracking-[.2em]">{pin}</p>
      <p className="mt-3 text-ink2">
        The device is signed in once it has the PIN. Tell it to nobody: whoever asks you for it wants to be signed in as
        you.
      </p>
    </div>
  )
}
