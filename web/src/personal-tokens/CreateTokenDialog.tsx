import type { ResponseData } from '@passport/contract/endpoint'
import {
  type CreatedPersonalToken,
  createPersonalToken,
  listPersonalTokenScopes,
  maxPersonalTokenName,
} from '@passport/contract/personal-tokens'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { call, query, toFailure } from '../app/api.ts'
import { findFieldError } from '../app/field-errors.ts'
import { Loaded } from '../app/Loaded.tsx'
import { Button } from '../ui/Button.tsx'
import { Check } from '../ui/Check.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Field } from '../ui/Field.tsx'
import { Select } from '../ui/Select.tsx'

interface CreateTokenDialogProps {
  isOpen: boolean
  /** The newly created token. */
  created: CreatedPersonalToken | undefined
  onCreated: (token: CreatedPersonalToken) => void
  onClose: () => void
}

/** Creates a personal token and shows its value once. */
export function CreateTokenDialog({ isOpen, created, onCreated, onClose }: CreateTokenDialogProps) {
  const scopes = useQuery({ ...query(listPersonalTokenScopes, {}), enabled: isOpen })
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={created ? 'Copy your token' : 'Create personal token'}
      className="w-[520px]"
    >
      {created ? (
        <NewToken created={created} onClose={onClose} />
      ) : (
        <Loaded query={scopes} label="Loading scopes" rows={4}>
          {(all) => <TokenForm scopes={all} {...{ onCreated, onClose }} />}
        </Loaded>
      )}
    </Dialog>
  )
}

const expiryOptions = ['7', '30', '90', '365'].map((days) => ({
  value: days,
  label: days === '365' ? 'In a year' : `In ${days} days`,
}))
const dayMs = 24 * 60 * 60 * 1000
const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })

interface TokenFormProps extends Pick<CreateTokenDialogProps, 'onCreated' | 'onClose'> {
  scopes: ResponseData<typeof listPersonalTokenScopes>
}

function TokenForm({ scopes, onCreated, onClose }: TokenFormProps) {
  const [name, setName] = useState('')
  const [days, setDays] = useState('30')
  // A single scope is no choice.
  const [chosen, setChosen] = useState(scopes.length === 1 ? scopes.map((scope) => scope.name) : [])
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => call(createPersonalToken, { body: { name, scopes: chosen, expiresInDays: Number(days) } }),
    onSuccess: onCreated,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate()
  }
  const [nameError, scopesError] = [findFieldError(error, 'name'), findFieldError(error, 'scopes')]
  return (
    <form noValidate className="mt-4 grid gap-4" onSubmit={submit}>
      <Field
        label="Name"
        placeholder="Backup script"
        autoComplete="off"
        maxLength={maxPersonalTokenName}
        value={name}
        error={nameError}
        onChange={({ target }) => setName(target.value)}
      />
      <fieldset>
        <legend className="mb-1.5 font-[560]">Access</legend>
        {scopes.map((scope) => (
          <Check
            key={scope.name}
            className="w-full items-start py-1 [&_input]:mt-1"
            checked={chosen.includes(scope.name)}
            onChange={({ target }) =>
              setChosen(target.checked ? [...chosen, scope.name] : chosen.filter((other) => other !== scope.name))
            }
          >
            <span className="min-w-0">
              <span className={scope.isEmphasized ? 'font-[620]' : ''}>{scope.description}</span>
              <code className="block font-mono text-[12.5px] text-ink3">{scope.name}</code>
            </span>
          </Check>
        ))}
        {scopesError && <p className="mt-1.5 text-[13px] text-bad">{scopesError}</p>}
      </fieldset>
      <Select
        label="Expires"
        hint={`Valid until ${dayFormat.format(Date.now() + Number(days) * dayMs)}`}
        options={expiryOptions}
        value={days}
        error={findFieldError(error, 'expiresInDays')}
        onChange={({ target }) => setDays(target.value)}
      />
      {error && !nameError && !scopesError && <ErrorCard failure={toFailure(error)} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" isBusy={isPending}>
          Create token
        </Button>
      </div>
    </form>
  )
}

function NewToken({ created: { token, value }, onClose }: { created: CreatedPersonalToken; onClose: () => void }) {
  return (
    <div className="mt-1.5 grid gap-4">
      <p className="text-ink2">The value of {token.name} isn't shown again. Store it like a password.</p>
      <div className="flex items-center gap-1 rounded-ctl border border-line bg-well py-1 pr-1 pl-3">
        <code className="min-w-0 flex-1 py-1.5 font-mono text-[13px] break-all">{value}</code>
        <CopyButton text={value} label="Copy token" />
      </div>
      <div className="flex justify-end">
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  )
}
