import type { DeviceAuthorization } from '@passport/contract/device-authorization'
import { type FormEvent, useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { Field } from '../ui/Field.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { formatAttemptsLeft } from './attempts-left.ts'
import { CodeCells } from './CodeCells.tsx'

interface RequestCardProps {
  request: DeviceAuthorization
  /** The reason why the last decision was not accepted. */
  error: string | undefined
  attemptsLeft: number | undefined
  isBusy: boolean
  onDecide: (action: 'approve' | 'deny', match: string) => void
}

/** Shows the requesting client, its network and scopes. Approve and deny are equally prominent. */
export function RequestCard({ request, error, attemptsLeft, isBusy, onDecide }: RequestCardProps) {
  const [match, setMatch] = useState('')
  const { client, device, scopes, userCode, requestedAt, pin } = request
  const { required, digits } = request.match
  const attempts = attemptsLeft ?? request.match.attemptsLeft
  const approve = (event: FormEvent) => {
    event.preventDefault()
    onDecide('approve', match)
  }
  return (
    <form className="mt-6 card p-5" onSubmit={approve}>
      <h2>{client.name} wants to access your account</h2>
      <p className="mt-1.5 text-ink2">Does your device show this code?</p>
      <CodeCells code={userCode} />
      <dl className="mt-5 grid grid-cols-[auto_1fr] gap-x-5 gap-y-2">
        <dt className="text-ink3">Device</dt>
        <dd>{device.description}</dd>
        <dt className="text-ink3">Network</dt>
        <dd>
          {device.ipAddress}, <Distance device={device} />
        </dd>
        <dt className="text-ink3">Requested</dt>
        <dd>
          <RelativeTime at={requestedAt} />
        </dd>
        <dt className="text-ink3">Access</dt>
        <dd>
          <ul>
            {scopes.map(({ name, description }) => (
              <li key={name}>{description}</li>
            ))}
          </ul>
        </dd>
      </dl>
      {required && (
        <div className="mt-5 max-w-[240px]">
          <Field
            label={`${digits}-digit number shown on the device`}
            className="font-mono text-[20px] tracking-[.2em]"
            inputMode="numeric"
            autoComplete="off"
            maxLength={digits}
            value={match}
            hint={attempts < 3 ? formatAttemptsLeft(attempts) : undefined}
            onChange={({ target }) => setMatch(target.value.replace(/\D/g, ''))}
          />
        </div>
      )}
      {pin.required && (
        <p className="mt-5 text-ink2">
          After you approve, this page shows a {pin.digits}-digit PIN to enter on the device. If the device doesn't ask
          for a PIN, it isn't yours.
        </p>
      )}
      {error && (
        <p role="alert" className="mt-4 text-bad">
          {error}
        </p>
      )}
      <div className="mt-5 grid gap-2 sm:grid-cols-2">
        <Button type="submit" isBusy={isBusy} disabled={required && match.length < digits}>
          Approve
        </Button>
        <Button isBusy={isBusy} onClick={() => onDecide('deny', '')}>
          I didn't start this
        </Button>
      </div>
    </form>
  )
}

/** Compares the networks of the device and of the caller; their locations are unknown. */
function Distance({ device: { distance, callerNetwork } }: Pick<DeviceAuthorization, 'device'>) {
  if (distance === 'same-network') return 'same as yours'
  if (distance === 'not-comparable')
    return `yours is ${callerNetwork}. IPv4 and IPv6 addresses can't be compared, so the device may be anywhere.`
  return (
    <>
      <strong>different from yours</strong> ({callerNetwork}).{' '}
      {distance === 'same-range'
        ? 'Both are in the same range, so the device may be nearby.'
        : 'This is normal with mobile data, but the device may also be far away.'}
    </>
  )
}
