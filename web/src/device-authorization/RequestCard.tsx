import type { DeviceAuthorization } from '@passport/contract/device-authorization'
import { type FormEvent, useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { Field } from '../ui/Field.tsx'
import { Moment } from '../ui/Moment.tsx'
import { triesLeft } from './attempts-left.ts'
import { CodeCells } from './CodeCells.tsx'

interface RequestCardProps {
  request: DeviceAuthorization
  /** Why the last answer did not count. */
  complaint: string | undefined
  attemptsLeft: number | undefined
  isBusy: boolean
  onDecide: (action: 'approve' | 'deny', match: string) => void
}

/** Who asks, from where and for what, and two answers of the same weight. */
export function RequestCard({ request, complaint, attemptsLeft, isBusy, onDecide }: RequestCardProps) {
  const [match, setMatch] = useState('')
  const { client, device, scopes, userCode, requestedAt, pin } = request
  const { required, digits } = request.match
  const left = attemptsLeft ?? request.match.attemptsLeft
  const approve = (event: FormEvent) => {
    event.preventDefault()
    onDecide('approve', match)
  }
  return (
    <form className="mt-6 rounded-box border border-line bg-card p-5" onSubmit={approve}>
      <h2>{client.name} wants to be signed in as you</h2>
      <p className="mt-1.5 text-ink2">Does your device show this code?</p>
      <CodeCells code={userCode} />
      <dl className="mt-5 grid grid-cols-[auto_1fr] gap-x-5 gap-y-2">
        <dt className="text-ink3">Device</dt>
        <dd>{device.description}</dd>
        <dt className="text-ink3">Network</dt>
        <dd>
          {device.ipAddress}, <Distance device={device} />
        </dd>
        <dt className="text-ink3">Asked</dt>
        <dd>
          <Moment at={requestedAt} />
        </dd>
        <dt className="text-ink3">It may then</dt>
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
            label={`The ${digits} digits that the device shows`}
            className="font-mono text-[20px] tracking-[.2em]"
            inputMode="numeric"
            autoComplete="off"
            maxLength={digits}
            value={match}
            hint={left < 3 ? triesLeft(left) : undefined}
            onChange={({ target }) => setMatch(target.value.replace(/\D/g, ''))}
          />
        </div>
      )}
      {pin.required && (
        <p className="mt-5 text-ink2">
          After you approve, this page shows a PIN of {pin.digits} digits, to be typed on the device. If there is no
          place for it there, it is not your device.
        </p>
      )}
      {complaint && (
        <p role="alert" className="mt-4 text-bad">
          {complaint}
        </p>
      )}
      <div className="mt-5 grid gap-2 sm:grid-cols-2">
        <Button type="submit" isBusy={isBusy} disabled={required && match.length < digits}>
          Approve
        </Button>
        <Button isBusy={isBusy} onClick={() => onDecide('deny', '')}>
          I did not start this
        </Button>
      </div>
    </form>
  )
}

/** No more than the two networks tell: where either of them is nobody knows. */
function Distance({ device: { distance, callerNetwork } }: Pick<DeviceAuthorization, 'device'>) {
  if (distance === 'same-network') return 'the same as yours'
  if (distance === 'not-comparable')
    return `and yours is ${callerNetwork}: IPv4 and IPv6, which cannot be compared. The device may be here or anywhere.`
  return (
    <>
      <strong>another one than yours</strong>, {callerNetwork}.{' '}
      {distance === 'same-range'
        ? 'Both are of one range, as one provider has: the device may be near, or not.'
        : 'So it is when one of them uses mobile data, and when the device is far away.'}
    </>
  )
}
