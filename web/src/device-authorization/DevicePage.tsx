import { ApiError } from '@passport/contract/call'
import {
  type DeviceAuthorization,
  decideDeviceAuthorization,
  getDeviceAuthorization,
} from '@passport/contract/device-authorization'
import { useMutation } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { KeyRound, TabletSmartphone, UserRound } from 'lucide-react'
import { useEffect, useState } from 'react'
import { call, toFailure } from '../app/api.ts'
import { DraftOffer } from '../app/DraftOffer.tsx'
import { useDraft } from '../app/drafts.ts'
import { useCurrentUser } from '../app/page-user.ts'
import { useSignInUrl } from '../app/sign-in-url.ts'
import { Avatar } from '../ui/Avatar.tsx'
import { Button, buttonClass } from '../ui/Button.tsx'
import { readAttemptsLeft } from './attempts-left.ts'
import { CodeField, cleanCode } from './CodeField.tsx'
import { RequestCard } from './RequestCard.tsx'

/**
 * The user's side of the device flow: enters a code, reviews the request, and approves or denies it. The URL of a QR code
 * contains the code.
 */
export function DevicePage() {
  const user = useCurrentUser()
  const signInUrl = useSignInUrl()
  const { user_code: initialCode } = useSearch({ strict: false }) as { user_code?: unknown }
  const code = typeof initialCode === 'string' ? initialCode : ''
  return (
    <div className="waves grid min-h-[calc(100dvh-9rem)] grid-cols-[minmax(0,460px)] content-center justify-center">
      <DevicePicture />
      <h1 className="mt-4 text-center">Sign in a device</h1>
      {user ? (
        <Steps initialCode={code} />
      ) : (
        <div className="mt-6 card p-5 text-center sm:p-6">
          <p>
            {code ? 'Sign in to see which device this code is for.' : 'Sign in, then enter the code from your device.'}
          </p>
          {code && <p className="mt-3 font-mono text-[20px] tracking-[.12em]">{code}</p>}
          <a className={`${buttonClass('primary')} mt-4 h-11 w-full`} href={signInUrl}>
            Sign in
          </a>
        </div>
      )}
    </div>
  )
}

/** The device and the account, joined by a key. */
function DevicePicture() {
  const user = useCurrentUser()
  const line = <span className="h-px w-8 border-t border-dashed border-edge sm:w-12" />
  return (
    <div aria-hidden="true" className="flex items-center justify-center gap-2">
      <span className="grid size-14 place-items-center rounded-box border border-line bg-card text-ink2 shadow-pop">
        <TabletSmartphone size={26} strokeWidth={1.6} />
      </span>
      {line}
      <KeyRound size={18} className="text-foil-text" />
      {line}
      {user ? (
        <Avatar id={user.claims.sub} name={user.claims.name ?? ''} picture={user.claims.picture} size={56} />
      ) : (
        <span className="grid size-14 place-items-center rounded-full border border-line bg-card text-ink2 shadow-pop">
          <UserRound size={26} strokeWidth={1.6} />
        </span>
      )}
    </div>
  )
}

function Steps({ initialCode }: { initialCode: string }) {
  const [code, setCode] = useState(() => cleanCode(initialCode))
  const [decision, setDecision] = useState<DecisionResult>()
  const lookup = useMutation({ mutationFn: (code: string) => call(getDeviceAuthorization, { params: { code } }) })
  const decide = useDecision(setDecision)
  const { mutate: lookUp } = lookup
  // A typed code is not in the URL that the sign-in returns to.
  const draft = useDraft('code', () => lookup.data?.userCode, lookUp)
  // A code in the URL was scanned: the lookup is safe and saves a step.
  useEffect(() => {
    if (initialCode) lookUp(initialCode)
  }, [initialCode, lookUp])

  if (decision) return <DecisionOutcome {...decision} />
  if (lookup.data)
    return (
      <RequestCard
        request={lookup.data}
        error={decide.error ? toFailure(decide.error).detail : undefined}
        attemptsLeft={readAttemptsLeft(decide.error)}
        isBusy={decide.isPending}
        onDecide={(action, match) => decide.mutate({ request: lookup.data, action, match })}
      />
    )
  return (
    <form
      className="mt-6 card p-5 sm:p-6"
      onSubmit={(event) => {
        event.preventDefault()
        lookUp(code)
      }}
    >
      <div className="mb-4 empty:hidden">
        <DraftOffer draft={draft} />
      </div>
      <CodeField
        label="Code shown on your device"
        value={code}
        error={lookup.error ? toFailure(lookup.error).detail : undefined}
        onChange={setCode}
      />
      <Button
        type="submit"
        variant="primary"
        className="mt-4 h-11 w-full"
        isBusy={lookup.isPending}
        disabled={code === ''}
      >
        Continue
      </Button>
      <p className="mt-4 text-center text-[13px] text-balance text-ink2">
        Only enter a code from your own device. Anyone who sends you a code may be trying to access your account.
      </p>
    </form>
  )
}

interface Decision {
  request: DeviceAuthorization
  action: 'approve' | 'deny'
  match: string
}

/** The decision; `pin` is set if the device must receive a PIN. */
interface DecisionResult {
  status: 'approved' | 'denied'
  pin: string | null
}

function useDecision(onDone: (result: DecisionResult) => void) {
  return useMutation({
    mutationFn: ({ request, action, match }: Decision) =>
      call(decideDeviceAuthorization, {
        body: { code: request.userCode, action, ...(match && action === 'approve' && { match }) },
      }),
    onSuccess: ({ pin }, { action }) => onDone({ status: action === 'approve' ? 'approved' : 'denied', pin }),
    onError: (error) => {
      const code = error instanceof ApiError ? error.problem?.code : undefined
      if (code === 'device-code-denied') onDone({ status: 'denied', pin: null })
    },
  })
}

function DecisionOutcome({ status, pin }: DecisionResult) {
  if (pin) return <PinCard pin={pin} />
  return (
    <div role="status" className="mt-6 card p-5 text-center sm:p-6">
      <h2>{status === 'approved' ? 'Device signed in' : 'Sign-in denied'}</h2>
      <p className="mt-1.5 text-ink2">
        {status === 'approved'
          ? 'You can close this page. To revoke access later, go to your account.'
          : 'If someone sent you this code, they were trying to access your account.'}
      </p>
      <a className={`${buttonClass()} mt-4`} href="/app/account/logins">
        Go to account
      </a>
    </div>
  )
}

function PinCard({ pin }: { pin: string }) {
  return (
    <div role="status" className="mt-6 card p-5 text-center sm:p-6">
      <h2>Enter this PIN on the device</h2>
      <p className="mt-3 font-mono text-[32px] tracking-[.2em]">{pin}</p>
      <p className="mt-3 text-ink2">
        The device is signed in once you enter the PIN there. Don't share it: anyone who asks for it is trying to access
        your account.
      </p>
    </div>
  )
}
