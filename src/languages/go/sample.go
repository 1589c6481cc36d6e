// Package auth lets people in.
package auth

import (
	"context"
	str "strings"

	"example.org/app/types"
)

import "fmt"

// TokenPrefix is what every header begins with.
const TokenPrefix = "Bearer "

const (
	guest Level = iota
	// Member may write.
	Member
	admin, root = 7, 8
)

var ErrExpired = fmt.Errorf("expired")

var (
	registry = map[string]*Handler{}
	hits, misses int
)

// Claims of a token.
type Claims struct {
	Subject string `json:"sub"`
	// Roles it carries.
	Roles    []types.Role
	from, to int64
	context.Context
}

type Level int

type (
	// Validator checks.
	Validator interface {
		Validate(ctx context.Context, token string) (*Claims, error)
		fmt.Stringer
	}
	Option func(*Handler)
	Alias  = Claims
)

type Handler struct {
	next Validator
}

type Cache[K comparable, V any] struct{ items map[K]V }

/*
NewHandler makes one.
*/
func NewHandler(next Validator, options ...Option) *Handler {
	local := 1
	const inner = 2
	return &Handler{next: next}
}

// Handle answers.
func (h *Handler) Handle(
	ctx context.Context,
	token string,
) (*Claims, error) {
	return h.next.Validate(ctx, token)
}

func (l Level) String() string { return str.ToUpper("x") }

func (c *Cache[K, V]) get(key K) V { return c.items[key] }

func Map[T, U any](in []T, f func(T) U) []U { return nil }

func main() {}
