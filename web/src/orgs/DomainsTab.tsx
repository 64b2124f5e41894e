import { ApiError } from '@passport/contract/call'
import { addOrgDomain, deleteOrgDomain, type OrgDomain, verifyOrgDomain } from '@passport/contract/org-domains'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { call, failureOf } from '../app/api.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { Empty } from '../ui/Empty.tsx'
import { Field } from '../ui/Field.tsx'
import { Moment } from '../ui/Moment.tsx'
import { toast } from '../ui/toast.ts'
import { DomainStatus } from './DomainStatus.tsx'
import type { OrgTab } from './OrgFrame.tsx'

/** The domains of an organisation, and how each is proved. */
export function DomainsTab({ org }: OrgTab) {
  return (
    <Card
      title="Domains"
      about="Who signs in with an address of a proved domain is led to this organisation. A domain belongs to one at a time."
    >
      <AddDomain orgId={org.id} />
      {org.domains.length === 0 && (
        <Empty kind="nothing yet" title="There are no domains yet">
          Add the first one; you then prove it by a record in its DNS.
        </Empty>
      )}
      <ul>
        {org.domains.map((domain) => (
          <DomainRow key={domain.domain} orgId={org.id} domain={domain} />
        ))}
      </ul>
    </Card>
  )
}

function AddDomain({ orgId }: { orgId: string }) {
  const [domain, setDomain] = useState('')
  const queryClient = useQueryClient()
  const add = useMutation({
    mutationFn: () => call(addOrgDomain, { params: { orgId }, body: { domain } }),
    onSuccess: () => setDomain(''),
    onSettled: () => void queryClient.invalidateQueries(),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (domain.trim() !== '') add.mutate()
  }
  return (
    <form onSubmit={submit} className="flex flex-wrap items-start gap-2 px-5 pb-5">
      <div className="min-w-0 flex-1 basis-56">
        <Field
          label="Add a domain"
          placeholder="contoso.com"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={domain}
          error={add.error ? faultOf(add.error) : undefined}
          onChange={({ target }) => {
            setDomain(target.value)
            add.reset()
          }}
        />
      </div>
      <Button type="submit" className="mt-[26px]" isBusy={add.isPending} disabled={domain.trim() === ''}>
        Add
      </Button>
    </form>
  )
}

const faultOf = (error: unknown) =>
  (error instanceof ApiError && error.problem?.errors?.[0]?.message) || failureOf(error).detail

function DomainRow({ orgId, domain }: { orgId: string; domain: OrgDomain }) {
  const [isAsking, setAsking] = useState(false)
  const queryClient = useQueryClient()
  const params = { orgId, domain: domain.domain }
  const refresh = () => void queryClient.invalidateQueries()
  const verify = useMutation({ mutationFn: () => call(verifyOrgDomain, { params }), onSettled: refresh })
  const remove = useMutation({
    mutationFn: () => call(deleteOrgDomain, { params }),
    onSuccess: () => void toast({ type: 'success', content: `${domain.domain} is removed` }),
    onError: (error) => void toast({ type: 'error', content: `Not removed. ${failureOf(error).detail}` }),
    onSettled: () => {
      setAsking(false)
      refresh()
    },
  })
  const isProved = domain.status === 'verified'
  return (
    <li className="border-t border-line px-5 py-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h3 className="min-w-0 text-[15px] break-all">{domain.domain}</h3>
        <DomainStatus domain={domain} />
        <span className="flex-1" />
        <Button
          isSmall
          look={isProved ? 'plain' : 'primary'}
          aria-label={isProved ? `Check again ${domain.domain}` : `Verify ${domain.domain}`}
          isBusy={verify.isPending}
          onClick={() => verify.mutate()}
        >
          {isProved ? 'Check again' : 'Verify'}
        </Button>
        <Button isSmall look="danger" aria-label={`Remove ${domain.domain}`} onClick={() => setAsking(true)}>
          Remove …
        </Button>
      </div>
      {(!isProved || domain.failingSince) && <DnsRecord {...domain} />}
      <div role="status">
        {verify.error && <Refusal error={verify.error} />}
        {verify.isSuccess && <p className="mt-3 text-ok">The record is there: {domain.domain} is proved.</p>}
      </div>
      {domain.checkedAt && (
        <p className="mt-2 text-[13px] text-ink3">
          Last looked for <Moment at={domain.checkedAt} />
        </p>
      )}
      <Confirm
        isOpen={isAsking}
        title={`Remove ${domain.domain}?`}
        action="Remove domain"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
        onClose={() => setAsking(false)}
      >
        To have it again, a new record must be put in its DNS.
      </Confirm>
    </li>
  )
}

function DnsRecord({ domain, dnsName, dnsValue }: OrgDomain) {
  return (
    <div className="mt-3 rounded-ctl border border-line bg-well p-3">
      <p className="mb-2 text-ink2">Where the DNS of the domain is run, add this record:</p>
      <dl className="grid gap-x-4 gap-y-1 sm:grid-cols-[auto_minmax(0,1fr)] sm:items-center">
        <dt className="text-[13px] text-ink2">Type</dt>
        <dd className="font-mono text-[12.5px]">TXT</dd>
        <Copied what="Name" text={dnsName} label={`Copy the name of the record for ${domain}`} />
        <Copied what="Value" text={dnsValue} label={`Copy the value of the record for ${domain}`} />
      </dl>
    </div>
  )
}

function Copied({ what, text, label }: { what: string; text: string; label: string }) {
  return (
    <>
      <dt className="text-[13px] text-ink2">{what}</dt>
      <dd className="flex min-w-0 items-center gap-1">
        <code className="min-w-0 font-mono text-[12.5px] break-all">{text}</code>
        <CopyButton text={text} label={label} />
      </dd>
    </>
  )
}

/** Why it is not proved, and what is in the DNS instead. */
function Refusal({ error }: { error: unknown }) {
  const found = error instanceof ApiError ? (error.body as { found?: unknown }).found : undefined
  const instead = Array.isArray(found) ? found.map(String) : []
  return (
    <div className="mt-3 text-bad">
      <p>{failureOf(error).detail}</p>
      {instead.length > 0 && (
        <>
          <p className="mt-1 text-ink2">Found instead:</p>
          <ul className="mt-1 grid gap-1">
            {instead.map((text) => (
              <li key={text}>
                <code className="font-mono text-[12.5px] break-all text-ink2">{text}</code>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
