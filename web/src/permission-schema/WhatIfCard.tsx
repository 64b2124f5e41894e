import type { WhatIf } from '@passport/contract/permission-terms'
import { previewDeletion, writeRelationships } from '@passport/contract/permissions'
import { printRelationship } from '@passport/permissions'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ComponentProps, type FormEvent, useEffect, useState } from 'react'
import { call, toFailure } from '../app/api.ts'
import { reportWithUndo } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { DeletionEffect, useDeletionEffect } from '../permissions/DeletionEffect.tsx'
import { toRelationshipKey } from '../permissions/reference.ts'
import { WhatIfBar } from '../permissions/WhatIfBar.tsx'
import { parseRelationshipLines, printRelationshipLines, setWhatIf, useWhatIf } from '../permissions/what-if.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { TextArea } from '../ui/TextArea.tsx'

/** The form of the what-if changes: relationships to add and to delete, which all questions then assume. */
export function WhatIfCard() {
  const whatIf = useWhatIf()
  const [add, setAdd] = useState(() => printRelationshipLines(whatIf?.add ?? []))
  const [remove, setRemove] = useState(() => printRelationshipLines(whatIf?.remove ?? []))
  const [isSubmitted, setSubmitted] = useState(false)
  const [isSaving, setSaving] = useState(false)
  useEffect(() => {
    setAdd(printRelationshipLines(whatIf?.add ?? []))
    setRemove(printRelationshipLines(whatIf?.remove ?? []))
  }, [whatIf])
  const [added, removed] = [parseRelationshipLines(add), parseRelationshipLines(remove)]
  const hasRelationships = whatIf !== undefined && whatIf.add.length + whatIf.remove.length > 0

  function apply(event: FormEvent) {
    event.preventDefault()
    setSubmitted(true)
    if (added.error || removed.error) return
    const schema = whatIf?.schema
    setWhatIf({
      add: added.relationships,
      remove: removed.relationships,
      ...(schema !== undefined && { schema }),
    })
  }

  return (
    <div id="what-if" className="scroll-mt-20">
      <Card title="What if" description="Test changes without saving.">
        <form onSubmit={apply} aria-label="What-if changes" className="grid gap-4 px-5 pb-5 md:grid-cols-2">
          <RelationshipLines
            label="Relationships to add"
            error={isSubmitted ? added.error : undefined}
            placeholder="document:roadmap#viewer@user:eve"
            value={add}
            onChange={({ target }) => setAdd(target.value)}
          />
          <RelationshipLines
            label="Relationships to delete"
            error={isSubmitted ? removed.error : undefined}
            placeholder="group:staff#member@group:engineering#member"
            value={remove}
            onChange={({ target }) => setRemove(target.value)}
          />
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2 md:col-span-2">
            <Button type="submit" disabled={add.trim() === '' && remove.trim() === '' && !hasRelationships}>
              Apply
            </Button>
            <span className="text-[13px] text-ink2">To test another schema, edit it below.</span>
          </div>
        </form>
        {whatIf && (
          <div className="border-t border-line px-5 pb-5">
            <WhatIfBar>
              {hasRelationships && (
                <Button isSmall onClick={() => setSaving(true)}>
                  Save…
                </Button>
              )}
            </WhatIfBar>
            <p className="mt-3 flex flex-wrap gap-x-4 gap-y-1">
              Test with:
              <Link to="/admin/tools/permissions/check" className="link">
                Permission Checker
              </Link>
              <Link to="/admin/tools/permissions/lookupResources" className="link">
                What can you access?
              </Link>
              <Link to="/admin/tools/permissions/lookupSubjects" className="link">
                Who can access that?
              </Link>
            </p>
          </div>
        )}
        {whatIf && <SaveWhatIf whatIf={whatIf} isOpen={isSaving} onClose={() => setSaving(false)} />}
      </Card>
    </div>
  )
}

function RelationshipLines(
  props: Pick<ComponentProps<typeof TextArea>, 'label' | 'error' | 'placeholder' | 'value' | 'onChange'>,
) {
  return <TextArea {...props} hint="One per line" spellCheck={false} rows={3} className="font-mono text-[13px]" />
}

interface SaveWhatIfProps {
  whatIf: WhatIf
  isOpen: boolean
  onClose: () => void
}

/** The confirmation to write the relationships of the what-if changes, all or none. Their schema is not included. */
function SaveWhatIf({ whatIf, isOpen, onClose }: SaveWhatIfProps) {
  const { add, remove, schema } = whatIf
  const isRemoving = isOpen && remove.length > 0
  const effect = useDeletionEffect(isRemoving ? { relationships: remove.map(toRelationshipKey) } : undefined)

  const saving = useMutation({
    mutationFn: () => writeWhatIf(whatIf),
    onSuccess: (undo) => {
      setWhatIf(schema === undefined ? undefined : { add: [], remove: [], schema })
      reportWithUndo('Relationships saved', undo)
      onClose()
    },
  })

  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Save these relationships?" className="w-[640px]">
      <ChangeList sign="+" label="Added" lines={add.map(printRelationship)} />
      <ChangeList sign="−" label="Deleted" lines={remove.map(printRelationship)} />
      {isRemoving && (
        <div className="text-ink2">
          <DeletionEffect effect={effect} isList />
        </div>
      )}
      {schema !== undefined && (
        <p className="mt-3 text-ink2">
          The draft schema is not included. If a relationship needs it, save it in the schema editor first.
        </p>
      )}
      {saving.error && (
        <div className="mt-3">
          <ErrorCard failure={toFailure(saving.error)} />
        </div>
      )}
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          variant="primary"
          isBusy={saving.isPending}
          disabled={isRemoving && effect.isPending}
          onClick={() => saving.mutate()}
        >
          Save relationships
        </Button>
      </div>
    </Dialog>
  )
}

function ChangeList({ sign, label, lines }: { sign: string; label: string; lines: string[] }) {
  if (lines.length === 0) return null
  return (
    <ul aria-label={label} className="mt-3 max-h-40 overflow-y-auto">
      {lines.map((line) => (
        <li key={line}>
          <code className={`font-mono text-[12.5px] [overflow-wrap:anywhere] ${sign === '+' ? 'text-ok' : 'text-bad'}`}>
            <span aria-hidden="true">{sign} </span>
            {line}
          </code>
        </li>
      ))}
    </ul>
  )
}

/** Writes the relationships of what-if changes; returns a function that restores the previous ones. */
async function writeWhatIf({ add, remove }: WhatIf): Promise<() => Promise<unknown>> {
  const keys = [...add, ...remove].map(toRelationshipKey)
  const { relationships: before } = await call(previewDeletion, { body: { relationships: keys } })
  const existingKeys = new Set(before.map((relationship) => printRelationship(toRelationshipKey(relationship))))
  const isNew = (relationship: (typeof add)[number]) =>
    !existingKeys.has(printRelationship(toRelationshipKey(relationship)))
  await writeAll(add, remove)
  return () => writeAll(before, add.filter(isNew))
}

async function writeAll(added: WhatIf['add'], removed: WhatIf['remove']): Promise<void> {
  const update = (operation: 'touch' | 'delete') => (relationship: WhatIf['add'][number]) => ({
    operation,
    relationship,
  })
  await call(writeRelationships, {
    body: { updates: [...added.map(update('touch')), ...removed.map(update('delete'))] },
  })
  await queryClient.invalidateQueries()
}
