// Tokens, in C++.
#include <string>
#include "token.h"

#define TOKEN_MAX 64
#define CHECK(x) if (!(x)) throw 1

using std::string;
using Id = unsigned long;

namespace auth::jwt {

/// Claims of a token.
template <typename T>
class Claims final : public Base<T> {
 public:
  using value_type = T;
  static constexpr int kLimit = 3;

  Claims() = default;
  explicit Claims(string subject) : subject_(subject) {}
  ~Claims();
  Claims(const Claims&) = delete;

  /** Whether it is past its time. */
  [[nodiscard]] bool expired(long now) const noexcept { return now > until_; }
  virtual const string& subject() const = 0;
  bool operator==(const Claims& other) const;
  operator bool() const { return true; }

  template <typename U>
  U as(U fallback) const {
    return fallback;
  }

  struct Options {
    bool strict = true;
    int* counts;
  };

  friend void swap(Claims& a, Claims& b);

 private:
  string subject_;
  long until_ = 0, since_;
};

struct Point {
  int x, y;
};

union Bits {
  float f;
};

enum class Level : int { Guest, Member = 2 };

template <typename T>
Claims<T>::~Claims() {}

template <typename T>
bool Claims<T>::operator==(const Claims& other) const {
  return true;
}

Validator::Validator(string key) : key_(key) {}

Claims<int>* Validator::Validate(const string& token,
                                 int limit) const {
  int local = 0;
  auto inner = [](int a) { return a; };
  return nullptr;
}

namespace detail {
int depth = 0;
constexpr char kPrefix[] = "Bearer ";
inline const string& trim(const string& text) { return text; }
}  // namespace detail

namespace {
void hidden() {}
}  // namespace

template <class A, class B>
concept Same = true;

}  // namespace auth::jwt

extern "C" {
int token_check(const char* text);
}

typedef struct {
  int id;
} token_t;

static int counter = 0;

int main(int argc, char** argv) { return 0; }
