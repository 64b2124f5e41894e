import { confirmDeviceAuthorization, pinDigits } from '@passport/contract/device-authorization'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { call, failureOf } from '../app/api.ts'
import { Button } from '../ui/Button.tsx'
import { Field } from '../ui/Field.tsx'
import { attemptsLeftOf, triesLeft } from './attempts-left.ts'

/** Where the person types, on the device, the PIN that they were shown when they approved. The next poll has the tokens. */
export function PinForm({ deviceCode }: { deviceCode: string }) {
  const [pin, setPin] = useState('')
  const give = useMutation({
    mutationFn: (pin: string) => call(confirmDeviceAuthorization, { body: { deviceCode, pin } }),
    onError: () => setPin(''),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    give.mutate(pin)
  }
  if (give.isSuccess) return <p className="mt-4">That is the PIN. The device asks for its tokens.</p>
  return (
    <form className="mt-4 flex max-w-[320px] flex-wrap items-end gap-3" onSubmit={submit}>
      <Field
        label="The PIN that you are shown when you approve"
        className="font-mono text-[20px] tracking-[.2em]"
        inputMode="numeric"
        autoComplete="off"
        maxLength={pinDigits}
        value={pin}
        error={give.error ? complaintOf(give.error) : undefined}
        onChange={({ target }) => setPin(target.value.replace(/\D/g, ''))}
      />
      <Button type="submit" isBusy={give.isPending} disabled={pin.length < pinDigits}>
        Give the PIN
      </Button>
    </form>
  )
}

function complaintOf(error: unknown): string {
  const left = attemptsLeftOf(error)
  const { detail } = failureOf(error)
  return left === undefined ? detail : `${detail} ${triesLeft(left)}.`
}
