import { confirmDeviceAuthorization, pinDigits } from '@passport/contract/device-authorization'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { call, toFailure } from '../app/api.ts'
import { Button } from '../ui/Button.tsx'
import { Field } from '../ui/Field.tsx'
import { formatAttemptsLeft, readAttemptsLeft } from './attempts-left.ts'

/** Submits the PIN shown to the approving user. Once it is accepted, the next poll returns the tokens. */
export function PinForm({ deviceCode }: { deviceCode: string }) {
  const [pin, setPin] = useState('')
  const confirm = useMutation({
    mutationFn: (pin: string) => call(confirmDeviceAuthorization, { body: { deviceCode, pin } }),
    onError: () => setPin(''),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    confirm.mutate(pin)
  }
  if (confirm.isSuccess) return <p>PIN accepted. Waiting for tokens.</p>
  return (
    <form className="flex max-w-[320px] flex-wrap items-end gap-3" onSubmit={submit}>
      <Field
        label="PIN shown after approval"
        className="font-mono text-[20px] tracking-[.2em]"
        inputMode="numeric"
        autoComplete="off"
        maxLength={pinDigits}
        value={pin}
        error={confirm.error ? formatError(confirm.error) : undefined}
        onChange={({ target }) => setPin(target.value.replace(/\D/g, ''))}
      />
      <Button type="submit" isBusy={confirm.isPending} disabled={pin.length < pinDigits}>
        Submit PIN
      </Button>
    </form>
  )
}

function formatError(error: unknown): string {
  const attemptsLeft = readAttemptsLeft(error)
  const { detail } = toFailure(error)
  return attemptsLeft === undefined ? detail : `${detail} ${formatAttemptsLeft(attemptsLeft)}.`
}
