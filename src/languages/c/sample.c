/* Tokens, in plain C. */
#include <stdio.h>
#include "token.h"

#define TOKEN_MAX 64
/* The larger of two. */
#define MAX(a, b) \
    ((a) > (b) ? (a) : (b))
#define FLAG

typedef unsigned long token_id;
typedef int (*compare_fn)(const void *, const void *);
typedef char name_t[16];

/** One token. */
struct token {
    token_id id;
    char *text;      /* as written */
    char label[TOKEN_MAX];
    int (*check)(struct token *self);
    unsigned strict : 1, open : 1;
    union {
        int i;
        float f;
    } value;
};

typedef struct {
    struct token *items;
    size_t len;
} token_list;

typedef struct node {
    struct node *next;
} node_t;

union bits {
    float number;
    unsigned word;
};

enum level { GUEST, MEMBER = 2 };
typedef enum { OFF, ON } state_t;

static int hits = 0;
extern const char *version;
struct token shared;
static const int table[] = { 1, 2 };

int token_check(const struct token *self);
char *token_text(struct token *self);

// Compares two tokens.
static inline int compare(const void *a, const void *b)
{
    int local = 0;
    struct token inner = { 0 };
    return local;
}

struct token *
token_new(token_id id,
          const char *text)
{
    return NULL;
}

char **token_split(char *text) { return 0; }

#ifdef TOKEN_TEST
int main(void) { return 0; }
#endif

__attribute__((unused)) static void quiet(void) {}
