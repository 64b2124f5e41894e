import { Link } from '@tanstack/react-router'
import { type ComponentProps, type FormEvent, useEffect, useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { TextArea } from '../ui/TextArea.tsx'
import { parseRelationshipLines, printRelationshipLines } from './relationship-lines.ts'
import { SaveWhatIf } from './SaveWhatIf.tsx'
import { WhatIfBar } from './WhatIfBar.tsx'
import { setWhatIf, useWhatIf } from './what-if.ts'

/** The playground: relationships supposed to be added or removed, under which every question can be asked. */
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
    <div id="suppose" className="scroll-mt-20">
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
