/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <bpf/libbpf.h>
#include <glib.h>
#include <linux/bpf.h>

/* What kernels older than this one ask of the programs: argv[1] is their object file. */

/* check_cfg() of Linux 5.3 to 6.6 (kernel/bpf/verifier.c) follows each instruction depth first, and
 * refuses one that falls through into another on the way to it; a jump may lead back. */
typedef enum { UNSEEN, ON_THE_WAY, FOLLOWED } Mark;

typedef struct {
  const struct bpf_insn *instructions;
  gsize n;
  Mark *marks;
  gssize back_edge; /* the instruction that falls back; -1: none does */
} Walk;

static void follow(Walk *walk, gsize at);

static void
take_edge(Walk *walk, gsize from, gsize to, bool may_lead_back)
{
  g_assert_cmpuint(to, <, walk->n);
  if (walk->marks[to] == UNSEEN)
    follow(walk, to);
  else if (walk->marks[to] == ON_THE_WAY && !may_lead_back && walk->back_edge < 0)
    walk->back_edge = (gssize)from;
}

static void
follow(Walk *walk, gsize at)
{
  const struct bpf_insn *instruction = &walk->instructions[at];
  guint class = BPF_CLASS(instruction->code);
  guint operation = BPF_OP(instruction->code);
  gsize target = at + 1 + (gsize)(gssize)instruction->off;

  walk->marks[at] = ON_THE_WAY;
  if ((class != BPF_JMP && class != BPF_JMP32) || operation == BPF_CALL) {
    /* A wide load is two of them. */
    take_edge(walk, at, at + (instruction->code == (BPF_LD | BPF_IMM | BPF_DW) ? 2 : 1), false);
  } else if (operation == BPF_JA) {
    take_edge(walk, at, target, true);
  } else if (operation != BPF_EXIT) {
    take_edge(walk, at, at + 1, true);
    take_edge(walk, at, target, true);
  }
  walk->marks[at] = FOLLOWED;
}

static gssize
find_back_edge(const struct bpf_insn *instructions, gsize n)
{
  g_autofree Mark *marks = g_new0(Mark, n);
  Walk walk = {.instructions = instructions, .n = n, .marks = marks, .back_edge = -1};

  follow(&walk, 0);
  return walk.back_edge;
}

static void
test_falls_back(void)
{
  const struct bpf_insn ends = {.code = BPF_JMP | BPF_EXIT};
  const struct bpf_insn adds = {.code = BPF_ALU64 | BPF_ADD | BPF_K, .imm = 1};
  const struct bpf_insn jumps_back = {.code = BPF_JMP | BPF_JLT | BPF_K, .off = -2, .imm = 9};
  const struct bpf_insn skips_one = {.code = BPF_JMP | BPF_JA, .off = 1};
  const struct bpf_insn jumps_back_to_1 = {.code = BPF_JMP | BPF_JLT | BPF_K, .off = -2, .imm = 9};
  const struct bpf_insn fine[] = {adds, jumps_back, ends};
  const struct bpf_insn falls[] = {skips_one, adds, jumps_back_to_1, ends};

  g_assert_cmpint(find_back_edge(fine, G_N_ELEMENTS(fine)), ==, -1);
  g_assert_cmpint(find_back_edge(falls, G_N_ELEMENTS(falls)), ==, 1);
}

static void
test_loops(gconstpointer path)
{
  struct bpf_object *object = bpf_object__open_file(path, NULL);
  struct bpf_program *program;
  guint n_programs = 0;

  g_assert_nonnull(object);
  bpf_object__for_each_program(program, object)
  {
    gssize back_edge = find_back_edge(bpf_program__insns(program), bpf_program__insn_cnt(program));

    if (back_edge >= 0) {
      g_test_message("%s: instruction %" G_GSSIZE_FORMAT " falls back into a loop's head",
                     bpf_program__name(program), back_edge);
      g_test_fail();
    }
    n_programs++;
  }
  g_assert_cmpuint(n_programs, >, 0);
  bpf_object__close(object);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_assert_cmpint(argc, ==, 2);
  g_test_add_func("/bpf-program/what-falls-back-is-found", test_falls_back);
  g_test_add_data_func("/bpf-program/loops-are-those-that-kernels-before-6.7-take", argv[1],
                       test_loops);
  return g_test_run();
}
