import { Link } from '@tanstack/react-router'
import { ArrowRight, ListTree, type LucideIcon, ShieldQuestion, UsersRound } from 'lucide-react'

const questions: { to: string; title: string; about: string; icon: LucideIcon }[] = [
  {
    to: '/admin/tools/permissions/check',
    title: 'Permission Checker',
    about: 'Can this one do that to this thing? With the reason, and what would change it.',
    icon: ShieldQuestion,
  },
  {
    to: '/admin/tools/permissions/lookupResources',
    title: 'What can you access?',
    about: 'Everything that somebody can reach, of one type or of all.',
    icon: ListTree,
  },
  {
    to: '/admin/tools/permissions/lookupSubjects',
    title: 'Who can access that?',
    about: 'Everyone who can reach a thing, and by which path.',
    icon: UsersRound,
  },
]

/** The three questions. */
export function QuestionCards() {
  return (
    <>
      <ul className="mt-6 grid gap-3 md:grid-cols-3">
        {questions.map(({ to, title, about, icon: Icon }) => (
          <li
            key={to}
            className="relative rounded-box border border-line bg-card px-5 py-4 transition-colors hover:bg-well focus-within:bg-well"
          >
            <Icon size={20} strokeWidth={1.75} className="text-ink3" aria-hidden="true" />
            <p className="mt-2 text-[15px] font-[620]">
              {/* The whole card leads there. */}
              <Link to={to as never} className="after:absolute after:inset-0 after:rounded-box">
                {title}
              </Link>
            </p>
            <p className="mt-0.5 text-ink2">{about}</p>
          </li>
        ))}
      </ul>
      <p className="mt-3">
        <Link to="/admin/tools/relations" className="link inline-flex items-center gap-1">
          Relation Viewer
          <ArrowRight size={14} aria-hidden="true" />
        </Link>{' '}
        <span className="text-ink2">shows the relationships themselves.</span>
      </p>
    </>
  )
}
