import { type CreatedScimToken, maxScimTokens, type NewScimToken, type ScimToken } from '@passport/contract/scim'
import { useMutation } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { toFailure } from '../app/api.ts'
import { findFieldError } from '../app/field-errors.ts'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { Cancelled } from '../app/reauthentication.ts'
import { Button } from '../ui/Button.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Confirm, Dialog } from '../ui/Dialog.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Field } from '../ui/Field.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Select } from '../ui/Select.tsx'
import { Status } from '../ui/Status.tsx'
import { Tag } from '../ui/Tag.tsx'

interface ScimTokensProps {
  tokens: ScimToken[]
  create: (token: NewScimToken) => Promise<CreatedScimToken>
  revoke: (tokenId: string) => Promise<unknown>
  /** Loads the tokens again after a change. */
  onChange: () => void
  /** Reports whether the user may revoke a token; any by default. */
  canRevoke?: (token: ScimToken) => boolean
}

const isLive = ({ state }: ScimToken) => state === 'live'

/** The SCIM tokens of an organisation: at most two live ones, so that one can replace the other. A value is shown once. */
export function ScimTokens({ tokens, create, revoke, onChange, canRevoke = () => true }: ScimTokensProps) {
  const [isCreating, setCreating] = useState(false)
  const [created, setCreated] = useState<CreatedScimToken>()
  const [revoking, setRevoking] = useState<ScimToken>()
  const live = tokens.filter(isLive)
  const ended = tokens.filter((token) => !isLive(token))
  const revocation = useMutation({
    mutationFn: ({ id }: ScimToken) => revoke(id),
    onSuccess: () => reportSuccess('Token revoked'),
    onError: (error) => {
      if (!(error instanceof Cancelled)) reportFailure('revoke the token', error)
    },
    onSettled: () => {
      setRevoking(undefined)
      onChange()
    },
  })
  return (
    <>
      {created && (
        <div
          role="status"
          className="mx-4 mb-3 rounded-ctl border border-line border-l-3 border-l-warn px-3.5 py-3 sm:mx-[18px]"
        >
          <p className="font-[560]">Copy the token now. It isn't shown again.</p>
          <div className="mt-2 flex items-center gap-1 rounded-ctl bg-well pr-1 pl-2.5">
            <code className="min-w-0 flex-1 py-1.5 font-mono text-[13px] [overflow-wrap:anywhere]">
              {created.value}
            </code>
            <CopyButton text={created.value} label="Copy token" />
          </div>
        </div>
      )}
      <ul>
        {[...live, ...ended].map((token) => (
          <TokenRow
            key={token.id}
            token={token}
            onRevoke={isLive(token) && canRevoke(token) ? () => setRevoking(token) : undefined}
          />
        ))}
      </ul>
      <p className="border-t border-hair px-4 py-3 first:border-0 sm:px-[18px]">
        <Button
          isSmall
          variant={live.length === 0 ? 'primary' : 'plain'}
          disabled={live.length >= maxScimTokens}
          onClick={() => setCreating(true)}
        >
          <Plus size={15} aria-hidden="true" />
          Create token
        </Button>
        {live.length >= maxScimTokens && (
          <span className="ml-3 text-[13px] text-ink3">Revoke one of the two to create another.</span>
        )}
      </p>
      <Dialog isOpen={isCreating} onClose={() => setCreating(false)} title="Create SCIM token">
        <TokenForm
          create={create}
          onCreated={(token) => {
            setCreated(token)
            setCreating(false)
            onChange()
          }}
          onClose={() => setCreating(false)}
        />
      </Dialog>
      <Confirm
        isOpen={revoking !== undefined}
        title={`Revoke ${revoking?.name}?`}
        action="Revoke token"
        isBusy={revocation.isPending}
        onConfirm={() => revoking && revocation.mutate(revoking)}
        onClose={() => setRevoking(undefined)}
      >
        {live.length > 1
          ? 'Requests with it are refused at once. The other token stays valid.'
          : 'It is the only one: provisioning stops at once. Users and groups stay as they are.'}
      </Confirm>
    </>
  )
}

function TokenRow({ token, onRevoke }: { token: ScimToken; onRevoke: (() => void) | undefined }) {
  const { name, start, createdBy, createdAt, fromSetupLink, expiresAt, state, lastUse } = token
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-hair px-4 py-2.5 first:border-0 sm:px-[18px]">
      <div className="min-w-0 flex-1 basis-52 leading-snug">
        <p className="flex flex-wrap items-center gap-x-2">
          <span className="min-w-0 break-words">{name}</span>
          <code className="font-mono text-[12.5px] text-ink3">{start}…</code>
          {fromSetupLink && <Tag>Set-up link</Tag>}
        </p>
        <p className="text-[13px] text-ink3">
          {lastUse ? (
            <>
              Used <RelativeTime at={lastUse.at} inSentence /> from {lastUse.ip}
            </>
          ) : (
            <>
              Never used, created <RelativeTime at={createdAt} inSentence />
              {createdBy && ` by ${createdBy.name}`}
            </>
          )}
          {state === 'live' && (
            <>
              {' '}
              · expires <RelativeTime at={expiresAt} inSentence />
            </>
          )}
        </p>
      </div>
      {state !== 'live' && <Status tone="off">{state === 'revoked' ? 'Revoked' : 'Expired'}</Status>}
      {onRevoke && (
        <Button isSmall variant="danger" aria-label={`Revoke ${name}`} onClick={onRevoke}>
          Revoke…
        </Button>
      )}
    </li>
  )
}

const expiryOptions = [
  { value: '90', label: 'In 90 days' },
  { value: '180', label: 'In 180 days' },
  { value: '365', label: 'In a year' },
  { value: '730', label: 'In 2 years' },
]
const dayMs = 24 * 60 * 60 * 1000
const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })

interface TokenFormProps extends Pick<ScimTokensProps, 'create'> {
  onCreated: (token: CreatedScimToken) => void
  onClose: () => void
}

function TokenForm({ create, onCreated, onClose }: TokenFormProps) {
  const [name, setName] = useState('Microsoft Entra')
  const [days, setDays] = useState('365')
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => create({ name, expiresInDays: Number(days) }),
    onSuccess: onCreated,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate()
  }
  const nameError = findFieldError(error, 'name')
  return (
    <form noValidate className="mt-4 grid gap-4" onSubmit={submit}>
      <Field
        label="Name"
        autoComplete="off"
        value={name}
        error={nameError}
        onChange={({ target }) => setName(target.value)}
      />
      <Select
        label="Expires"
        hint={`Valid until ${dayFormat.format(Date.now() + Number(days) * dayMs)}`}
        options={expiryOptions}
        value={days}
        error={findFieldError(error, 'expiresInDays')}
        onChange={({ target }) => setDays(target.value)}
      />
      {error && !nameError && !(error instanceof Cancelled) && <ErrorCard failure={toFailure(error)} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" isBusy={isPending}>
          Create token
        </Button>
      </div>
    </form>
  )
}
